/** Measures how soon a node serves, how much memory it takes, and how it decides while its code is not compiled yet. */
@NullMarked
package io.sluice.benchmarks.start;

import org.jspecify.annotations.NullMarked;
