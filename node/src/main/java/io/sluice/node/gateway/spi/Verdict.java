package io.sluice.node.gateway.spi;

import java.util.Map;

/** A handler's decision about a call. Immutable. */
public sealed interface Verdict {

    /** The call continues. */
    Verdict GO_ON = new GoOn();

    /** The call continues. */
    record GoOn() implements Verdict {}

    /**
     * The call ends with this answer.
     *
     * @param status 200 to 599
     */
    record Answer(int status, Map<String, String> headers, String body) implements Verdict {
        public Answer {
            if (status < 200 || status > 599) {
                throw new IllegalArgumentException("status: " + status + " (expected: 200..599)");
            }
            headers = Map.copyOf(headers);
        }
    }
}
