package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RateLimitMetricsOfRedisTest {

    private final ManualClock clock = QuietClock.at(0);
    private final LocalEngine counts = new LocalEngine(clock);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RateLimitMetrics metrics = RateLimitMetrics.ofSetsAndCode(registry);
    private final RuleSource rules =
            RuleSource.fixed(new RuleSet(7, ((RuleDocument.Accepted) RuleDocument.parse("t", """
                rules:
                  - { id: pay, resource: /pay, on_failure: closed, limits: [{ limit: 1, window: 1d }] }
                  - { id: see, resource: /see, on_failure: open, limits: [{ limit: 1, window: 1d }] }
                """)).rules()));

    private RedisServer redis;
    private Store store;
    private StoreWatch watch;
    private StorePulse pulse;
    private Limiter shared;
    private Evaluator evaluator;

    @BeforeEach
    void open() {
        redis = RedisServer.start();
        store = Store.redis(redis.uri(), "test", Clock.system(), metrics);
        watch = new StoreWatch(store, clock);
        pulse = new StorePulse(store, clock);
        shared = new Limiter(store.engine(), Clock.system(), List.of(watch));
        Limiter local = new Limiter(counts, clock, List.of());
        evaluator = new Evaluator(rules::latest, local, shared, KeySettings.ofThisProcess(), Clock.system(), metrics);
        metrics.watch(rules, counts, watch);
        metrics.watch(pulse);
        pulse.start();
        store.ready().toCompletableFuture().join();
    }

    @AfterEach
    void close() {
        pulse.close();
        shared.close();
        redis.close();
    }

    @Test
    void showsAStoreThatDecides() {
        until("Redis decides", () -> {
            ask("/pay");
            clock.advance(Duration.ofSeconds(5));
            return gauge("rate_limit_breaker_state") == 0 && mode("remote") == 1 && mode("closed") == 0;
        });
        assertThat(gauge("rate_limit_rule_version")).isEqualTo(7);
        until("a call succeeded", () -> {
            ask("/pay");
            return calls("ok") > 0;
        });
        until("a refusal was remembered", () -> {
            ask("/pay");
            return Objects.requireNonNull(registry.find("rate_limit_store_calls")
                                    .tag("outcome", "remembered")
                                    .functionCounter())
                            .count()
                    > 0;
        });
        until("the server's figures", () -> {
            clock.advance(Duration.ofSeconds(3));
            return gauge("redis_connected_clients") > 0 && gauge("redis_used_memory") > 0;
        });
    }

    @Test
    void showsAStoreThatIsUnavailable() {
        long before = Instant.now().getEpochSecond();
        redis.kill();
        until("Redis is unavailable", () -> gauge("rate_limit_breaker_state") == 1);

        assertThat(mode("remote")).isZero();
        // The policies of the rules in force, whether or not a request came.
        assertThat(mode("closed")).isEqualTo(1);
        assertThat(mode("open")).isEqualTo(1);
        assertThat(mode("local")).isZero();
        assertThat(gauge("rate_limit_degraded_since_seconds")).isGreaterThanOrEqualTo((double) (before - 1));
        assertThat(gauge("redis_connected_clients")).isNaN();
        assertThat(gauge("redis_used_memory")).isNaN();

        ask("/see");
        ask("/pay");
        assertThat(registry.get("rate_limit_allowed")
                        .tag("rule", "see")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rate_limit_rejected")
                        .tag("rule", "pay")
                        .counter()
                        .count())
                .isEqualTo(1);

        redis.restart();
        until("Redis is available again", () -> {
            clock.advance(Duration.ofSeconds(5));
            return gauge("rate_limit_breaker_state") == 0 && mode("remote") == 1 && mode("closed") == 0;
        });
        until("the outage is over", () -> gauge("rate_limit_degraded_since_seconds") == 0);
    }

    private void ask(String path) {
        evaluator
                .evaluate(Attributes.of(Map.of("path", path)), 1)
                .toCompletableFuture()
                .join();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double mode(String mode) {
        return registry.get("rate_limit_mode").tag("mode", mode).gauge().value();
    }

    private double calls(String outcome) {
        return registry.get("rate_limit_store_calls")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }
}
