/** The gateway's port and the connections to it. */
@NullMarked
package io.sluice.node.gateway.door;

import org.jspecify.annotations.NullMarked;
