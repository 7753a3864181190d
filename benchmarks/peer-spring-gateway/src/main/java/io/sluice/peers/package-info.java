/** Gateways of other projects, set up as their users would run them, for comparison with the gateway of Sluice. */
@NullMarked
package io.sluice.peers;

import org.jspecify.annotations.NullMarked;
