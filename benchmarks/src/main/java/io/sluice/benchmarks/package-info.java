/** What Sluice costs, next to its peers and to the least that the work can cost, in one run. */
@NullMarked
package io.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
