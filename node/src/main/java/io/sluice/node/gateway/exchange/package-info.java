/** One request through the gateway, and the gateway's own answers. */
@NullMarked
package io.sluice.node.gateway.exchange;

import org.jspecify.annotations.NullMarked;
