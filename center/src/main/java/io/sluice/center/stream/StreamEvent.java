package io.sluice.center.stream;

import io.sluice.center.access.Access;
import java.util.Optional;

/** Something that happened. Each listener is told only the part that it may see. Immutable. */
interface StreamEvent {

    StreamTopic topic();

    /**
     * Returns what to tell somebody, as JSON; empty for nothing.
     *
     * @param rule the only rule that the listener wants to hear about; empty for all
     */
    Optional<String> json(Access access, String rule);
}
