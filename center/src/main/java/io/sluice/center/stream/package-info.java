/**
 * Events of the fleet, as server-sent events for people and programs: counts, refusals, nodes, alerts and releases. Nothing is stored here:
 * a listener that was disconnected reads missed events from the other parts of the API.
 */
@NullMarked
package io.sluice.center.stream;

import org.jspecify.annotations.NullMarked;
