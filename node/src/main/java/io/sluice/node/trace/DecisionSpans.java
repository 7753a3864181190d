package io.sluice.node.trace;

import io.sluice.http.trace.TraceParent;
import io.sluice.node.trace.FinishedSpan.Kind;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import java.util.HashMap;
import java.util.Map;

/** Makes a span of each decision about a request whose trace is recorded. Any other decision costs one comparison. Thread-safe. */
public final class DecisionSpans implements RulingListener {

    private static final String NAME = "sluice decision";

    private final Tracing tracing;

    public DecisionSpans(Tracing tracing) {
        this.tracing = tracing;
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        // A ruling without its request belongs to no trace.
    }

    @Override
    public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        Origin origin = request.origin();
        if (!origin.sampled() || origin.spanId().isEmpty()) {
            return;
        }
        tracing.ended(new FinishedSpan(
                origin.traceId(),
                TraceParent.newSpanId(),
                origin.spanId(),
                NAME,
                Kind.INTERNAL,
                tracing.now(),
                elapsedNanos,
                false,
                attributes(ruling)));
    }

    @Override
    public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        ruled(request, ruling, elapsedNanos);
    }

    private static Map<String, Object> attributes(Ruling.Settled ruling) {
        Map<String, Object> attributes = new HashMap<>();
        Rule rule = ruling.rule();
        if (rule != null) {
            attributes.put("sluice.rule", rule.id());
        }
        Ruling.Reported reported = ruling.reported();
        if (reported != null) {
            attributes.put("sluice.limit", reported.id());
        }
        String outcome = ruling.looked() ? "looked" : ruling.allowed() ? "allowed" : "refused";
        attributes.put("sluice.outcome", outcome);
        attributes.put("sluice.mode", ruling.mode());
        String degraded = ruling.degraded();
        if (degraded != null) {
            attributes.put("sluice.degraded", degraded);
        }
        return attributes;
    }
}
