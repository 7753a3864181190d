package io.sluice.node.gateway.spi;

import java.util.Map;

/** What a handler says of a call. Immutable. */
public sealed interface Verdict {

    /** It goes on. */
    Verdict GO_ON = new GoOn();

    /** It goes on. */
    record GoOn() implements Verdict {}

    /**
     * This is the answer.
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
