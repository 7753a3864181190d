/** Simulated trials with known truth, which count how often a verdict is wrong. */
@NullMarked
package io.sluice.benchmarks.verdicts;

import org.jspecify.annotations.NullMarked;
