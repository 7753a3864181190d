/** What users of the gateway may add to it. Found by {@link java.util.ServiceLoader}; knows nothing of the server. */
@NullMarked
package io.sluice.node.gateway.spi;

import org.jspecify.annotations.NullMarked;
