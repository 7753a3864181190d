package io.sluice.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Origin;
import io.sluice.spring.web.IncomingRequest;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;

final class TracerOriginsTest {

    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final Origin SENT = new Origin("", "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true);

    @Test
    void withoutATracerOrASpanTheHeadersCount() {
        assertThat(new TracerOrigins(() -> null).of(request(null))).isEqualTo(SENT);
        // A tracer that does nothing has spans without a trace.
        assertThat(new TracerOrigins(() -> Tracer.NOOP).of(request(null))).isEqualTo(SENT);
    }

    @Test
    void findsTheSpanThatSpringNotedInAReactiveApplication() {
        TracingContext traced = new TracingContext();
        Observation.Context observed = new Observation.Context();
        TraceContext context = stub(TraceContext.class, name -> switch (name) {
            case "traceId" -> "a".repeat(32);
            case "spanId" -> "b".repeat(16);
            default -> false;
        });
        traced.setSpan(stub(Span.class, name -> context));
        observed.put(TracingContext.class, traced);
        assertThat(new TracerOrigins(() -> Tracer.NOOP).of(request(observed)))
                .isEqualTo(new Origin("", "a".repeat(32), "b".repeat(16), false));
    }

    private static <T> T stub(Class<T> type, Function<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, given) -> answers.apply(method.getName())));
    }

    private static IncomingRequest request(Object note) {
        return new IncomingRequest() {
            @Override
            public String method() {
                return "GET";
            }

            @Override
            public String target() {
                return "/";
            }

            @Override
            public List<String> headers(String name) {
                return name.equals("traceparent") ? List.of(PARENT) : List.of();
            }

            @Override
            public Address peer() {
                return null;
            }

            @Override
            public Principal principal() {
                return null;
            }

            @Override
            public boolean isBodiless() {
                return true;
            }

            @Override
            public Object note(String name) {
                return name.equals(ServerRequestObservationContext.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE) ? note : null;
            }
        };
    }
}
