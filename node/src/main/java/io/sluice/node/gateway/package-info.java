/** The gateway as a node opens it. */
@NullMarked
package io.sluice.node.gateway;

import org.jspecify.annotations.NullMarked;
