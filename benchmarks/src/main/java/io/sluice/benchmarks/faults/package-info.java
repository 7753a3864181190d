/** Injects faults into Redis and nodes under load, and measures what callers notice. */
@NullMarked
package io.sluice.benchmarks.faults;

import org.jspecify.annotations.NullMarked;
