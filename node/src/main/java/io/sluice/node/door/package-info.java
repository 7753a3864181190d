/** The seam between a node and its doors: its front ends, each with a port of its own. */
@NullMarked
package io.sluice.node.door;

import org.jspecify.annotations.NullMarked;
