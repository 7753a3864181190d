package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The imported rule beside Resilience4j's own limiter, on the same times. */
class Resilience4jPeerTest {

    private static final String INSTANCE = """
            resilience4j.ratelimiter.instances.backend:
              limitForPeriod: 10
              limitRefreshPeriod: 2s
              timeoutDuration: 0
            """;

    private static SpanDifference run(long startMillis) {
        SeededRandom random = SeededRandom.of("Resilience4jPeerTest");
        AtomicLong nowNanos = new AtomicLong(startMillis * 1_000_000);
        AtomicRateLimiter original = new AtomicRateLimiter(
                "backend",
                RateLimiterConfig.custom()
                        .limitForPeriod(10)
                        .limitRefreshPeriod(Duration.ofSeconds(2))
                        .timeoutDuration(Duration.ZERO)
                        .build(),
                nowNanos::get);
        ImportedLimit imported =
                new ImportedLimit(ImportKind.RESILIENCE4J, "application.yml", INSTANCE, startMillis * 1_000);
        SpanDifference difference = new SpanDifference(2_000);
        for (long millis : Arrivals.millis(random, startMillis, 5_000, 150)) {
            nowNanos.set(millis * 1_000_000);
            difference.add(millis, original.acquirePermission(1), imported.allows("", millis * 1_000));
        }
        assertThat(difference.refused()).as("the arrivals exceed the limit").isPositive();
        return difference;
    }

    @Test
    void admitsTheSameRequestsIfTheCyclesBeginTogether() {
        assertThat(run(1_790_000_000_000L).mostInTotal()).isZero();
    }

    @Test
    void differsByNoMoreThanTheWarningSaysIfTheyDoNot() {
        assertThat(run(1_790_000_000_777L).mostInSpan()).isLessThanOrEqualTo(20);
    }
}
