/** Alerts: what is wrong with the fleet and its traffic, for how long, and who has been told. */
@NullMarked
package io.sluice.center.alert;

import org.jspecify.annotations.NullMarked;
