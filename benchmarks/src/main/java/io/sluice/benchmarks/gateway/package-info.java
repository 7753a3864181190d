/** The gateway under load, next to others. */
@NullMarked
package io.sluice.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
