/** Serves the protocol over gRPC and as JSON. */
@NullMarked
package io.sluice.envoy.server;

import org.jspecify.annotations.NullMarked;
