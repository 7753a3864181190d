/** An identity server: conversations with it, trust in its certificate, and the people whom it vouches for. */
@NullMarked
package io.sluice.center.identity.server;

import org.jspecify.annotations.NullMarked;
