/**
 * The public API: limits, the limiter and its decisions. Implement an engine against {@code io.sluice.core.spi}; the arithmetic
 * that engines share is in {@code io.sluice.core.algorithm}.
 */
@NullMarked
package io.sluice.core;

import org.jspecify.annotations.NullMarked;
