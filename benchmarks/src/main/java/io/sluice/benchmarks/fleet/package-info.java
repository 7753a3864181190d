/** Several processes on one Redis, and whether they keep what was promised: their histories are checked. */
@NullMarked
package io.sluice.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
