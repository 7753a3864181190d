/** Everything that the center knows about the traffic of its nodes, put together. */
@NullMarked
package io.sluice.center.traffic;

import org.jspecify.annotations.NullMarked;
