package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.witness.Witness;
import io.sluice.runtime.witness.WitnessText;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.audit.SignedLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RateLimitMetricsTest {

    private final ManualClock clock = QuietClock.at(0);
    private final LocalEngine counts = new LocalEngine(clock);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Changing source = new Changing();

    @Test
    void keepsSeriesOfRulesInCodeAndRemovesThoseOfDroppedRules() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
        watched(metrics);

        source.rules.publish(set(2, "other"));
        ask(metrics, set(1, "code"));
        source.rules.publish(set(3, "another"));

        assertThat(allowed("set")).isFalse();
        assertThat(allowed("code")).isTrue();

        // A decision that was still in progress.
        ask(metrics, set(1, "set"));
        metrics.forget();
        assertThat(allowed("set")).isFalse();
        assertThat(allowed("code")).isTrue();

        source.rules.publish(set(4, "set"));
        ask(metrics, source.latest());
        metrics.forget();
        assertThat(allowed("set")).isTrue();
    }

    @Test
    void removesSeriesOfRulesThatAreInNoSet() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSets(registry, set -> Set.of("more"), set -> Set.of("more.0"));
        watched(metrics);

        ask(metrics, set(1, "code"));
        ask(metrics, set(1, "more"));
        metrics.forget();

        assertThat(allowed("set")).isTrue();
        assertThat(allowed("more")).isTrue();
        assertThat(allowed("code")).isFalse();
    }

    @Test
    void showsWhatIsWitnessedOfTheAuditLog() {
        Witness witness = Witness.of(Optional.empty(), clock);
        RateLimitMetrics.ofSetsAndCode(registry).watch(witness);
        assertThat(gauge("rate_limit_audit_size")).isZero();
        assertThat(gauge("rate_limit_audit_age_seconds")).isNaN();

        SignedLog log = SignedLog.of(12);
        offer(witness, log.offer(clock.epochMicros() / 1_000));
        clock.advance(Duration.ofSeconds(90));
        assertThat(gauge("rate_limit_audit_size")).isEqualTo(12);
        assertThat(gauge("rate_limit_audit_refused")).isZero();
        assertThat(gauge("rate_limit_audit_age_seconds")).isEqualTo(90);

        offer(witness, log.copy().cut(11).offer(clock.epochMicros() / 1_000));
        assertThat(gauge("rate_limit_audit_size")).isEqualTo(12);
        assertThat(gauge("rate_limit_audit_refused")).isEqualTo(1);
    }

    private static void offer(Witness witness, String json) {
        witness.heard(Optional.of(WitnessText.offer(JsonObject.parse(json, 10_000))));
    }

    @Test
    void countsAllowedDecisionsAboveEightyPercentOfTheLimit() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
        RuleSet ten = new RuleSet(
                1,
                ((RuleDocument.Accepted) RuleDocument.parse(
                                "t",
                                "rules: [{ id: ten, limits: [{ algorithm: fixed_window, limit: 10, window: 1h }] }]"))
                        .rules());

        for (int i = 1; i <= 8; i++) {
            ask(metrics, ten);
        }
        assertThat(registry.find("rate_limit_near_limit").counters()).isEmpty();
        for (int i = 9; i <= 12; i++) {
            ask(metrics, ten);
        }
        assertThat(registry.get("rate_limit_near_limit")
                        .tag("limit", "ten.0")
                        .counter()
                        .count())
                .isEqualTo(2);
        source.rules.publish(ten);
        metrics.watch(source, counts, new StoreWatch(null, clock));
        source.rules.publish(set(2, "other"));
        assertThat(registry.find("rate_limit_near_limit").counters()).isEmpty();
    }

    @Test
    void countsDecisionsThatWereMadeWithoutTheStoreToShedLoad() {
        StoreWatch watch = new StoreWatch(null, clock);
        Limiter shared = new Limiter(new ForwardingEngine(counts) {}, clock, List.of(watch));
        Limit limit = Limit.named("a").fixedWindow(10, Duration.ofHours(1));
        Ask ask = Ask.charging(List.of(Demand.of(limit, "k", 1)));

        shared.decide(ask);
        assertThat(watch.shed()).isZero();
        Decision shed = shared.decideWithoutStore(ask, Evaluator.OVERLOAD);
        assertThat(shed.degraded()).isEqualTo(Evaluator.OVERLOAD);
        assertThat(watch.shed()).isEqualTo(1);
        assertThat(watch.degraded()).isEqualTo(Evaluator.OVERLOAD);
        assertThat(shared.look(List.of(Demand.of(limit, "k", 1)))
                        .outcome()
                        .verdicts()
                        .get(0)
                        .remaining())
                .isEqualTo(9);
    }

    @Test
    void countsEveryDecisionOnceUnderTheLimitThatWasReported() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
        RuleSet rules = parsed("""
            rules:
              - { id: one, resource: /one, limits: [{ limit: 1, window: 1h }] }
              - { id: banned, resource: /banned, action: deny }
              - { id: free, resource: /free, action: exempt }
              - { id: tried, resource: /one, shadow: true, limits: [{ id: none, limit: 0, window: 1h }] }
            """);

        for (String path : List.of("/one", "/one", "/banned", "/free", "/other")) {
            ask(metrics, rules, Map.of("path", path), 1);
        }
        // Requests that only look are not counted.
        ask(metrics, rules, Map.of("path", "/one"), 0);

        assertThat(counts("rate_limit_allowed"))
                .containsOnly(Map.entry("one/one.0", 1.0), Map.entry("free/", 1.0), Map.entry("/", 1.0));
        assertThat(counts("rate_limit_rejected")).containsOnly(Map.entry("one/one.0", 1.0), Map.entry("banned/", 1.0));
        assertThat(counts("rate_limit_shadow_rejected")).containsOnly(Map.entry("tried/tried.none", 2.0));
        assertThat(registry.get("rate_limit_duration").timer().count()).isEqualTo(5);
    }

    @Test
    void callersAddNoSeries() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
        RuleSet rules = parsed("""
            rules:
              - id: each
                limits: [{ by: [user, path, header.x-a], limit: 1, window: 1h }]
                overrides: [{ when: { user: u-1 }, limit: 2 }]
            """);
        for (int i = 0; i < 2; i++) {
            ask(metrics, rules, caller(0), 1);
        }
        int before = registry.getMeters().size();

        for (int i = 0; i < 10_000; i++) {
            ask(metrics, rules, caller(i), 1);
        }

        assertThat(registry.getMeters()).hasSize(before);
    }

    @Test
    void countsRefusedRuleSets() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
        watched(metrics);

        source.rules.refuse(List.of(DocumentError.of("rules", "wrong"), DocumentError.of("rules", "also wrong")));
        source.rules.refuse(List.of(DocumentError.of("rules", "still wrong")));

        assertThat(registry.get("rate_limit_rule_errors").counter().count()).isEqualTo(2);
        assertThat(gauge("rate_limit_rule_version")).isEqualTo(1);
    }

    @Test
    void onlyTheLocalModeIsInForceWithoutAStore() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
        watched(metrics);

        assertThat(gauge("rate_limit_keys")).isEqualTo(1);
        assertThat(gauge("rate_limit_leases_outstanding")).isZero();
        assertThat(gauge("rate_limit_breaker_state")).isZero();
        assertThat(gauge("rate_limit_degraded_since_seconds")).isZero();
        assertThat(registry.find("rate_limit_store_calls").meters()).isEmpty();
        for (String mode : List.of("remote", "local", "open", "closed")) {
            assertThat(registry.get("rate_limit_mode").tag("mode", mode).gauge().value())
                    .isEqualTo(mode.equals("local") ? 1 : 0);
        }
    }

    @Test
    void countsCallsByTheirOutcome() {
        RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);

        metrics.called("ok", 7, 1);
        metrics.called("ok", 1, 1);
        metrics.called("late", 1, 1);

        assertThat(calls("ok")).isEqualTo(2);
        assertThat(calls("late")).isEqualTo(1);
    }

    private double calls(String outcome) {
        return registry.get("rate_limit_store_calls")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    /** Returns the counters of this name by their rule and limit. */
    private Map<String, Double> counts(String name) {
        return registry.find(name).counters().stream()
                .collect(Collectors.toMap(
                        counter -> counter.getId().getTag("rule") + "/"
                                + counter.getId().getTag("limit"),
                        Counter::count));
    }

    private static Map<String, String> caller(int number) {
        return Map.of("user", "u-" + number, "path", "/" + number, "header.x-a", Integer.toString(number));
    }

    private static RuleSet parsed(String document) {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("t", document)).rules());
    }

    private void watched(RateLimitMetrics metrics) {
        source.rules.publish(set(1, "set"));
        metrics.watch(source, counts, new StoreWatch(null, clock));
        ask(metrics, source.latest());
        assertThat(allowed("set")).isTrue();
    }

    private boolean allowed(String rule) {
        return registry.find("rate_limit_allowed").tag("rule", rule).counter() != null;
    }

    private void ask(RateLimitMetrics metrics, RuleSet rules) {
        ask(metrics, rules, Map.of(), 1);
    }

    private void ask(RateLimitMetrics metrics, RuleSet rules, Map<String, String> attributes, long permits) {
        Limiter limiter = new Limiter(counts, clock, List.of());
        new Evaluator(() -> rules, limiter, null, KeySettings.ofThisProcess(), clock, metrics)
                .evaluate(Attributes.of(attributes), permits)
                .toCompletableFuture()
                .join();
    }

    private static RuleSet set(long version, String id) {
        String text = "rules: [{ id: " + id + ", limits: [{ limit: 100, window: 1h }] }]";
        return new RuleSet(version, ((RuleDocument.Accepted) RuleDocument.parse("t", text)).rules());
    }

    private static final class Changing implements RuleSource {
        private final PublishedRules rules = new PublishedRules();

        @Override
        public RuleSet latest() {
            return rules.latest();
        }

        @Override
        public CompletionStage<RuleSet> first() {
            return rules.first();
        }

        @Override
        public List<DocumentError> refused() {
            return rules.refused();
        }

        @Override
        public void listen(RuleListener listener) {
            rules.listen(listener);
        }

        @Override
        public void close() {
            rules.close();
        }
    }
}
