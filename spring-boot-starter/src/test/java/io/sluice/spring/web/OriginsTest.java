package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.internal.RulesOfTest;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Decisions of applications know the trace and the id of the request. */
final class OriginsTest {

    private static final String RULES = "rules: [{ id: all, limits: [{ by: ip, limit: 1000, window: 1d }] },"
            + " { id: early, for: early, limits: [{ by: ip, limit: 1000, window: 1d }] }]";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String PARENT = "00-" + TRACE + "-" + SPAN + "-01";

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void headersSayTheTrace(boolean reactive) throws Exception {
        try (RunningApp app = starting(reactive).rules(RULES)) {
            Heard heard = app.bean(Heard.class);
            app.get("/a", "traceparent", PARENT, "x-request-id", "r-1");
            assertThat(heard.origins).hasSize(2).containsOnly(new Origin("r-1", TRACE, SPAN, true));
            heard.origins.clear();
            app.get("/a");
            app.get("/a", "traceparent", "${jndi:ldap://x}", "x-request-id", "a b");
            app.get("/a", "traceparent", PARENT, "traceparent", PARENT);
            assertThat(heard.origins).hasSize(6).containsOnly(Origin.UNKNOWN);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theApplicationsOwnTracerWins(boolean reactive) throws Exception {
        try (RunningApp app = starting(reactive).with(OwnTracer.class).rules(RULES)) {
            Heard heard = app.bean(Heard.class);
            app.get("/a", "traceparent", PARENT, "x-request-id", "r-1");
            assertThat(heard.origins).hasSize(2).containsOnly(new Origin("r-1", "a".repeat(32), "b".repeat(16), true));
        }
    }

    private static RunningApp.Starting starting(boolean reactive) {
        return new RunningApp.Starting(reactive, reactive ? ReactiveApp.class : ServletApp.class).with(Listening.class);
    }

    /** The origins of decisions. */
    static final class Heard implements RulingListener {

        final List<Origin> origins = new CopyOnWriteArrayList<>();

        @Override
        public void ruled(Ruling.Settled ruling, long elapsedNanos) {
            throw new IllegalStateException("without its request");
        }

        @Override
        public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
            origins.add(request.origin());
        }

        @Override
        public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
            origins.add(request.origin());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        @Bean
        Heard heard() {
            return new Heard();
        }

        @Bean
        @Primary
        Evaluator listening(RulesOfTest rules, Heard heard, Clock clock) {
            RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", rules.text())).rules());
            Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
            return new Evaluator(() -> set, limiter, null, KeySettings.ofThisProcess(), clock, heard);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTracer {

        @Bean
        Tracer tracer() {
            TraceContext context = stub(TraceContext.class, name -> switch (name) {
                case "traceId" -> "a".repeat(32);
                case "spanId" -> "b".repeat(16);
                default -> name.equals("sampled") ? Boolean.TRUE : null;
            });
            Span span = stub(Span.class, name -> name.equals("context") ? context : null);
            return stub(Tracer.class, name -> name.equals("currentSpan") ? span : null);
        }

        private static <T> T stub(Class<T> type, Function<String, Object> answers) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(self);
                        case "equals" -> self == given[0];
                        case "toString" -> type.getSimpleName();
                        default -> answers.apply(method.getName());
                    }));
        }
    }
}
