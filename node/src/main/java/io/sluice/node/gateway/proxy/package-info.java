/** Forwards requests to upstreams and their answers to callers. */
@NullMarked
package io.sluice.node.gateway.proxy;

import org.jspecify.annotations.NullMarked;
