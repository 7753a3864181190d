/** Requests on their way to an upstream and their answers on the way back. */
@NullMarked
package io.sluice.node.gateway.proxy;

import org.jspecify.annotations.NullMarked;
