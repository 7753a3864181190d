/** The gateway's part of the configuration, read and checked. */
@NullMarked
package io.sluice.node.gateway.config;

import org.jspecify.annotations.NullMarked;
