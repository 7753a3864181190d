package io.sluice.node.trace;

import io.sluice.http.trace.TraceParent;
import io.sluice.rules.pattern.Origin;

/**
 * The position of one request in a trace. Immutable.
 *
 * <p>A node makes spans only in traces that it records. In any other trace it passes on the caller's span, as W3C allows: an id that is
 * never exported would be a hole in the trace.
 *
 * @param traceId the trace; empty if the request belongs to none
 * @param parentId the caller's span; empty if the trace starts here
 * @param spanId the span to which decisions about the request belong
 * @param forwardedId the span that an upstream sees as its caller
 * @param sampled whether the trace is recorded
 * @param recorded whether this node records it
 */
public record RequestTrace(
        String traceId, String parentId, String spanId, String forwardedId, boolean sampled, boolean recorded) {

    /** The request belongs to no trace. */
    public static final RequestTrace NONE = new RequestTrace("", "", "", "", false, false);

    /** Returns the trace that a caller has started. */
    static RequestTrace continued(TraceParent parent, boolean recorded) {
        String span = recorded ? TraceParent.newSpanId() : parent.spanId();
        String forwarded = recorded ? TraceParent.newSpanId() : span;
        return new RequestTrace(parent.traceId(), parent.spanId(), span, forwarded, parent.sampled(), recorded);
    }

    /** Returns a new trace. */
    static RequestTrace started(boolean recorded) {
        String span = TraceParent.newSpanId();
        String forwarded = recorded ? TraceParent.newSpanId() : span;
        return new RequestTrace(TraceParent.newTraceId(), "", span, forwarded, recorded, recorded);
    }

    /** Returns whether the request belongs to a trace. */
    public boolean exists() {
        return !traceId.isEmpty();
    }

    /** Returns whether the caller has started the trace, so that its {@code tracestate} is valid. */
    public boolean isContinued() {
        return !parentId.isEmpty();
    }

    /** Returns the header for an upstream. The request must belong to a trace. */
    public String forwarded() {
        return new TraceParent(traceId, forwardedId, sampled).text();
    }

    public Origin origin(String requestId) {
        return new Origin(requestId, traceId, spanId, sampled);
    }
}
