/**
 * What happens in the fleet, as server-sent events for people and programs: counts, refusals, nodes, alerts and releases. Nothing is
 * stored here: a listener that was away asks the other parts of the API for what it missed.
 */
@NullMarked
package io.sluice.center.stream;

import org.jspecify.annotations.NullMarked;
