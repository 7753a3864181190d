package io.sluice.node.trace;

import io.sluice.core.time.Clock;
import io.sluice.http.trace.TraceParent;
import io.sluice.node.trace.FinishedSpan.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests are recorded, and makes their spans. Never blocks. Thread-safe.
 *
 * <p>A request that comes with a trace follows the choice of the system that started the trace. A random share of the traces that start
 * here is recorded.
 */
public final class Tracing {

    /** Continues and starts traces, and records none of them. */
    public static final Tracing UNRECORDED = new Tracing(true, 0, null, Clock.system());

    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE");
    private static final String OTHER_METHOD = "_OTHER";
    private static final int CALLER_ERRORS = 400;
    private static final int SERVER_ERRORS = 500;

    private final boolean starts;
    private final double share;
    private final @Nullable SpanRecorder recorder;
    private final Clock clock;

    /**
     * Creates the tracing of a node.
     *
     * @param starts whether a request without a trace starts one
     * @param share the share of the traces started here that is recorded, from 0 to 1
     * @param recorder null to record nothing
     */
    public Tracing(boolean starts, double share, @Nullable SpanRecorder recorder, Clock clock) {
        this.starts = starts;
        this.share = share;
        this.recorder = recorder;
        this.clock = clock;
    }

    /** Returns the monotonic time by which spans are measured. */
    public long nanoTime() {
        return clock.nanoTime();
    }

    /** Returns whether spans are recorded at all. */
    public boolean records() {
        return recorder != null;
    }

    /**
     * Returns the trace of a request that is forwarded.
     *
     * @param parent null if the request had no valid trace
     */
    public RequestTrace forwarded(@Nullable TraceParent parent) {
        if (parent != null) {
            return RequestTrace.continued(parent, recorder != null && parent.sampled());
        }
        return starts
                ? RequestTrace.started(
                        recorder != null && ThreadLocalRandom.current().nextDouble() < share)
                : RequestTrace.NONE;
    }

    /** Returns the trace of a question to this node. Only the caller can start one. */
    public RequestTrace asked(TraceParent parent) {
        return RequestTrace.continued(parent, recorder != null && parent.sampled());
    }

    /**
     * Records that this node has answered a request.
     *
     * @param route a name that the caller cannot choose; empty if there is none
     */
    public void answered(RequestTrace trace, String method, String route, int status, long nanos) {
        Map<String, Object> attributes = new HashMap<>();
        if (!route.isEmpty()) {
            attributes.put("http.route", route);
        }
        span(trace, trace.spanId(), trace.parentId(), Kind.SERVER, method, route, status, nanos, attributes);
    }

    /**
     * Records that an upstream has answered, or that it has not.
     *
     * @param service the name of the upstream; empty if it has none
     * @param status 0 if there was no answer
     */
    public void heard(RequestTrace trace, String method, String service, int status, long nanos) {
        Map<String, Object> attributes = new HashMap<>();
        if (!service.isEmpty()) {
            attributes.put("peer.service", service);
        }
        span(trace, trace.forwardedId(), trace.spanId(), Kind.CLIENT, method, service, status, nanos, attributes);
    }

    private void span(
            RequestTrace trace,
            String id,
            String parent,
            Kind kind,
            String method,
            String place,
            int status,
            long nanos,
            Map<String, Object> attributes) {
        String known = METHODS.contains(method) ? method : OTHER_METHOD;
        attributes.put("http.request.method", known);
        if (status > 0) {
            attributes.put("http.response.status_code", (long) status);
        }
        boolean failed = status == 0 || status >= (kind == Kind.CLIENT ? CALLER_ERRORS : SERVER_ERRORS);
        String name = place.isEmpty() ? "HTTP " + known : "HTTP " + known + " " + place;
        ended(new FinishedSpan(trace.traceId(), id, parent, name, kind, now(), nanos, failed, attributes));
    }

    void ended(FinishedSpan span) {
        if (recorder != null) {
            recorder.ended(span);
        }
    }

    long now() {
        return clock.epochMicros() * 1_000;
    }
}
