/** Alerts: problems of the fleet and its traffic, their duration, and the notifications that were sent. */
@NullMarked
package io.sluice.center.alert;

import org.jspecify.annotations.NullMarked;
