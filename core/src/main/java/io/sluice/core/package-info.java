/**
 * The limits, the limiter and its decisions: what a Java developer uses. Engines are written against {@code
 * io.sluice.core.spi}; the arithmetic they share is in {@code io.sluice.core.algorithm}.
 */
@NullMarked
package io.sluice.core;

import org.jspecify.annotations.NullMarked;
