/** Envoy's rate limit service over gRPC. */
@NullMarked
package io.sluice.node.envoy;

import org.jspecify.annotations.NullMarked;
