/** Loads a center with many rules and many nodes. */
@NullMarked
package io.sluice.benchmarks.center;

import org.jspecify.annotations.NullMarked;
