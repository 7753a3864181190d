package io.sluice.rules.pattern;

/**
 * The id and trace of a request in other systems, for logs and traces. They never affect a decision. Immutable.
 *
 * @param requestId the id of the request, such as the id in {@code X-Request-Id}; empty if it has none
 * @param traceId the W3C trace that the request belongs to: 32 lower-case hexadecimal digits; empty if it belongs to none
 * @param spanId the span that the decision belongs to: 16 lower-case hexadecimal digits; empty if there is none
 * @param sampled whether the trace is recorded
 */
public record Origin(String requestId, String traceId, String spanId, boolean sampled) {

    /** The origin of a request without an id and a trace. */
    public static final Origin UNKNOWN = new Origin("", "", "", false);

    private static final int LONGEST_ID = 128;

    public Origin {
        if (requestId.length() > LONGEST_ID) {
            requestId = requestId.substring(0, LONGEST_ID);
        }
    }
}
