/** The goals for the figures of all benchmarks, and the page that says which of them a run met. */
@NullMarked
package io.sluice.benchmarks.goals;

import org.jspecify.annotations.NullMarked;
