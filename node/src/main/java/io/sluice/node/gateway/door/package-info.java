/** The port of the gateway and the connections to it. */
@NullMarked
package io.sluice.node.gateway.door;

import org.jspecify.annotations.NullMarked;
