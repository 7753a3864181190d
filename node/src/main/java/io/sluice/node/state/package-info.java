/** A node's own state: health and metrics. */
@NullMarked
package io.sluice.node.state;

import org.jspecify.annotations.NullMarked;
