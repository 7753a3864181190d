/** The door for Envoy. */
@NullMarked
package io.sluice.node.envoy;

import org.jspecify.annotations.NullMarked;
