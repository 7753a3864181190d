/** The gateway: a reverse proxy that limits what passes it. */
@NullMarked
package io.sluice.node.gateway;

import org.jspecify.annotations.NullMarked;
