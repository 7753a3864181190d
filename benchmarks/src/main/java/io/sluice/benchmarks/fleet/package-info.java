/** Runs several processes on one Redis and checks their histories for violations of what Sluice promises. */
@NullMarked
package io.sluice.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
