/** Combines all parts that handle the traffic data of nodes. */
@NullMarked
package io.sluice.center.traffic;

import org.jspecify.annotations.NullMarked;
