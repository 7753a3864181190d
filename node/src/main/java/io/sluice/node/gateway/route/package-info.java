/** Where requests go: routes by host and path. */
@NullMarked
package io.sluice.node.gateway.route;

import org.jspecify.annotations.NullMarked;
