package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The imported rule beside a bucket that Bucket4j builds as its starter does, on the same times. */
class Bucket4jPeerTest {

    private static final long START_MILLIS = 1_790_000_000_123L;

    private static final String FILTER = """
            bucket4j:
              filters:
                - cache-name: buckets
                  url: /hello
                  rate-limits:
                    - bandwidths:
                        - { capacity: 10, time: 3, unit: seconds, refill-speed: %s }
            """;

    private static final class MillisMeter implements TimeMeter {

        private long nowMillis = START_MILLIS;

        @Override
        public long currentTimeNanos() {
            return nowMillis * 1_000_000;
        }

        @Override
        public boolean isWallClockBased() {
            return true;
        }
    }

    @Test
    void admitsTheSameRequestsAsAGreedyRefill() {
        SeededRandom random = SeededRandom.of("Bucket4jPeerTest");
        MillisMeter meter = new MillisMeter();
        Bucket original = Bucket.builder()
                .addLimit(Bandwidth.builder()
                        .capacity(10)
                        .refillGreedy(10, Duration.ofSeconds(3))
                        .build())
                .withCustomTimePrecision(meter)
                .build();
        ImportedLimit imported = new ImportedLimit(
                ImportKind.BUCKET4J, "application.yml", FILTER.formatted("greedy"), START_MILLIS * 1_000);
        int refused = 0;
        for (long millis : Arrivals.millis(random, START_MILLIS, 5_000, 200)) {
            meter.nowMillis = millis;
            boolean allowed = original.tryConsume(1);
            refused += allowed ? 0 : 1;
            assertThat(imported.allows("", millis * 1_000)).as("at %d", millis).isEqualTo(allowed);
        }
        assertThat(refused).as("the arrivals exceed the limit").isPositive();
    }

    @Test
    void admitsTheSameRequestsIfEachTakesSeveralPermits() {
        SeededRandom random = SeededRandom.of("Bucket4jPeerTest, several permits");
        MillisMeter meter = new MillisMeter();
        Bucket original = Bucket.builder()
                .addLimit(Bandwidth.builder()
                        .capacity(12)
                        .refillGreedy(10, Duration.ofSeconds(3))
                        .build())
                .withCustomTimePrecision(meter)
                .build();
        String filter = FILTER.formatted("greedy, refill-capacity: 10")
                .replace("capacity: 10, time", "capacity: 12, time")
                .replace("- bandwidths:", "- num-tokens: 4\n          bandwidths:");
        ImportedLimit imported =
                new ImportedLimit(ImportKind.BUCKET4J, "application.yml", filter, START_MILLIS * 1_000);
        int refused = 0;
        for (long millis : Arrivals.millis(random, START_MILLIS, 5_000, 800)) {
            meter.nowMillis = millis;
            boolean allowed = original.tryConsume(4);
            refused += allowed ? 0 : 1;
            assertThat(imported.allows("", millis * 1_000)).as("at %d", millis).isEqualTo(allowed);
        }
        assertThat(refused).as("the arrivals exceed the limit").isPositive();
    }

    @Test
    void differsFromAnIntervalRefillByNoMoreThanTheWarningSays() {
        SeededRandom random = SeededRandom.of("Bucket4jPeerTest");
        MillisMeter meter = new MillisMeter();
        Bucket original = Bucket.builder()
                .addLimit(Bandwidth.builder()
                        .capacity(10)
                        .refillIntervally(10, Duration.ofSeconds(3))
                        .build())
                .withCustomTimePrecision(meter)
                .build();
        ImportedLimit imported = new ImportedLimit(
                ImportKind.BUCKET4J, "application.yml", FILTER.formatted("interval"), START_MILLIS * 1_000);
        SpanDifference difference = new SpanDifference(3_000);
        for (long millis : Arrivals.millis(random, START_MILLIS, 5_000, 200)) {
            meter.nowMillis = millis;
            difference.add(millis, original.tryConsume(1), imported.allows("", millis * 1_000));
        }
        assertThat(difference.mostInSpan()).isLessThanOrEqualTo(20);
        assertThat(difference.refused()).isPositive();
    }

    @Test
    void admitsAsManyAsAnIntervalRefillIfThereAreAlwaysMore() {
        MillisMeter meter = new MillisMeter();
        Bucket original = Bucket.builder()
                .addLimit(Bandwidth.builder()
                        .capacity(10)
                        .refillIntervally(10, Duration.ofSeconds(3))
                        .build())
                .withCustomTimePrecision(meter)
                .build();
        ImportedLimit imported = new ImportedLimit(
                ImportKind.BUCKET4J, "application.yml", FILTER.formatted("interval"), START_MILLIS * 1_000);
        SpanDifference difference = new SpanDifference(3_000);
        for (long millis = START_MILLIS; millis < START_MILLIS + 300_000; millis += 100) {
            meter.nowMillis = millis;
            difference.add(millis, original.tryConsume(1), imported.allows("", millis * 1_000));
        }
        assertThat(difference.mostInTotal()).isLessThanOrEqualTo(10);
        assertThat(difference.refused()).isPositive();
    }
}
