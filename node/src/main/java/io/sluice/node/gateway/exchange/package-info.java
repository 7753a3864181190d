/** One request through the gateway and the answers that the gateway gives itself. */
@NullMarked
package io.sluice.node.gateway.exchange;

import org.jspecify.annotations.NullMarked;
