/** Measures the cost of Sluice, its peers and the minimum that the same work can cost, all in one run. */
@NullMarked
package io.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
