/** Brings alerts to people: webhooks and e-mail. Nothing in a center waits for them. */
@NullMarked
package io.sluice.center.destination;

import org.jspecify.annotations.NullMarked;
