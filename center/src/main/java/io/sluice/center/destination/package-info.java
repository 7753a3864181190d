/** Sends alerts to people by webhooks and e-mail. No other part of a center waits for a destination. */
@NullMarked
package io.sluice.center.destination;

import org.jspecify.annotations.NullMarked;
