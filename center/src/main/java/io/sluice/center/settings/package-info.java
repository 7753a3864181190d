/** The settings of a center for its address, signing in, alerts, audit sinks and retention. */
@NullMarked
package io.sluice.center.settings;

import org.jspecify.annotations.NullMarked;
