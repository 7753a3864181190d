package io.sluice.center.stream;

import io.sluice.center.access.Access;
import java.util.Optional;

/** An event of the fleet. Each listener receives only the part that it may see. Immutable. */
interface StreamEvent {

    StreamTopic topic();

    /**
     * Returns the event for a listener as JSON; empty if the listener does not receive it.
     *
     * @param rule the only rule that the listener has asked for; empty for all rules
     */
    Optional<String> json(Access access, String rule);
}
