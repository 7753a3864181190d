package io.sluice.spring.boot.web;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import io.sluice.rules.pattern.Origin;
import io.sluice.spring.web.IncomingRequest;
import io.sluice.spring.web.OriginReader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the trace of a request from the application's own tracer. Before the tracer knows the request, as in filters that run very early,
 * it reads the trace from the headers. Thread-safe.
 */
final class TracerOrigins implements OriginReader {

    /** The attribute in which Spring stores the observation of a request in reactive applications. */
    private static final String OBSERVATION =
            "org.springframework.http.server.reactive.observation.ServerRequestObservationContext";

    private final Supplier<@Nullable Tracer> tracer;

    TracerOrigins(Supplier<@Nullable Tracer> tracer) {
        this.tracer = tracer;
    }

    @Override
    public Origin of(IncomingRequest request) {
        Origin sent = HEADERS.of(request);
        Tracer known = tracer.get();
        Span span = known == null ? null : span(request, known);
        if (span == null) {
            return sent;
        }
        TraceContext context = span.context();
        return context.traceId().isEmpty()
                ? sent
                : new Origin(
                        sent.requestId(), context.traceId(), context.spanId(), Boolean.TRUE.equals(context.sampled()));
    }

    private static @Nullable Span span(IncomingRequest request, Tracer tracer) {
        if (request.note(OBSERVATION) instanceof Observation.Context observed) {
            TracingContext traced = observed.get(TracingContext.class);
            Span span = traced == null ? null : traced.getSpan();
            if (span != null) {
                return span;
            }
        }
        return tracer.currentSpan();
    }
}
