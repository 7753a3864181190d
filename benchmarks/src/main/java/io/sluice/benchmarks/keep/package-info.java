/** A shared limit under overload, with classes of callers of which some leave a part of it for others. */
@NullMarked
package io.sluice.benchmarks.keep;

import org.jspecify.annotations.NullMarked;
