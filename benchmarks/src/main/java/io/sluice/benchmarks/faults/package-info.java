/** What is done to Redis while it is being asked, and what its callers notice: the faults that Sluice is tested under. */
@NullMarked
package io.sluice.benchmarks.faults;

import org.jspecify.annotations.NullMarked;
