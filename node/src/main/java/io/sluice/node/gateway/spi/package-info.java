/** Extension points of the gateway. Found by {@link java.util.ServiceLoader}; independent of the server. */
@NullMarked
package io.sluice.node.gateway.spi;

import org.jspecify.annotations.NullMarked;
