package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.limit.Windows;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.math.BigInteger;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** No interval ever holds more than its limit allows, whatever is asked and whenever. Time only moves forward here. */
final class NeverMoreThanAllowedTest {

    private static final long DAY = 86_400_000_000L;

    @Test
    void aTokenBucketAdmitsAtMostBurstPlusRateTimesTimeBetweenAnyTwoAdmissions() {
        Seeded random = Seeded.random("token bucket, every interval");
        for (long round = Seeded.scaled(100, 4_000); round > 0; round--) {
            TokenBucket limit =
                    Limit.named("x").tokenBucket(Driven.rate(random)).withBurst(random.magnitude(1, 1_000_000));
            Flow flow = new Flow(limit.rate(), BigInteger.valueOf(limit.capacity()));
            Driven bucket = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 500; i++) {
                now += step(random, Driven.span(limit));
                Demand demand = demand(random, limit);
                Verdict verdict = bucket.ask(demand, now);
                if (verdict.fits()) {
                    flow.admitted(now, verdict.granted(), random + ": " + limit);
                }
            }
        }
    }

    @Test
    void aTokenBucketKeepsToThatWithReservedSlotsToo() {
        Seeded random = Seeded.random("token bucket, reserved slots");
        for (long round = Seeded.scaled(50, 2_000); round > 0; round--) {
            TokenBucket limit =
                    Limit.named("x").tokenBucket(Driven.rate(random)).withBurst(random.magnitude(1, 1_000));
            // Slots are reported in whole microseconds, so an interval may look shorter than it is by less than one.
            Flow flow = new Flow(limit.rate(), BigInteger.valueOf(limit.capacity())).withSlackMicros(1);
            Driven bucket = new Driven(limit);
            long now = Driven.NOW;
            long longest = random.magnitude(1, 10_000_000);
            for (int i = 0; i < 500; i++) {
                now += step(random, Driven.span(limit));
                long permits = 1 + random.nextLong(limit.capacity());
                Verdict verdict = bucket.ask(Demand.of(limit, "k", permits).waitingUpTo(longest), now);
                if (verdict.fits()) {
                    assertThat(verdict.waitMicros()).as("%s: %s", random, limit).isBetween(0L, longest);
                    flow.admitted(now + verdict.waitMicros(), verdict.granted(), random + ": " + limit);
                }
            }
        }
    }

    @Test
    void aLeakyBucketHandsOutSlotsThatAreSpacedAtTheRate() {
        Seeded random = Seeded.random("leaky bucket, slots");
        for (long round = Seeded.scaled(100, 4_000); round > 0; round--) {
            LeakyBucket limit = (LeakyBucket) Driven.limit(random, 1);
            Spacing spacing = new Spacing(limit.rate());
            Driven bucket = new Driven(limit);
            long now = Driven.NOW;
            long waiting = 0;
            for (int i = 0; i < 500; i++) {
                now += step(random, Driven.span(limit));
                Verdict verdict = bucket.ask(demand(random, limit), now);
                if (verdict.fits()) {
                    waiting++;
                    assertThat(verdict.waitMicros()).as("%s: %s", random, limit).isBetween(0L, limit.maxWaitMicros());
                    spacing.slot(now + verdict.waitMicros(), verdict.granted(), random + ": " + limit);
                }
            }
            assertThat(waiting).as("%s: %s admitted something", random, limit).isPositive();
        }
    }

    @Test
    void aFixedWindowHoldsItsLimitInEachWindow() {
        Seeded random = Seeded.random("fixed windows");
        List<Calendar> calendars = List.of(Calendar.values());
        List<ZoneId> zones = List.of(
                ZoneId.of("UTC"),
                ZoneId.of("Europe/Berlin"),
                ZoneId.of("Australia/Lord_Howe"),
                ZoneId.of("Pacific/Apia"));
        for (long round = Seeded.scaled(100, 4_000); round > 0; round--) {
            long permits = random.magnitude(1, 1_000);
            FixedWindow limit = random.nextBoolean()
                    ? Limit.named("x").fixedWindow(permits, Driven.micros(random.magnitude(1, DAY)))
                    : Limit.named("x")
                            .fixedWindow(
                                    permits,
                                    calendars.get(random.nextInt(calendars.size())),
                                    zones.get(random.nextInt(zones.size())));
            Driven count = new Driven(limit);
            Map<Long, Long> held = new HashMap<>();
            long now = Driven.NOW;
            for (int i = 0; i < 500; i++) {
                Windows.Window window = limit.windows().at(now);
                now = switch (random.nextInt(4)) {
                    case 0 -> now + random.magnitude(1, limit.windowMicros());
                    case 1 -> Math.max(now, window.endMicros() - 1);
                    case 2 -> window.endMicros();
                    default -> now;
                };
                long granted = count.take(demand(random, limit), now);
                long sum = held.merge(limit.windows().at(now).startMicros(), granted, Long::sum);
                assertThat(sum).as("%s: %s", random, limit).isLessThanOrEqualTo(permits);
            }
        }
    }

    @Test
    void aStrictSlidingWindowNeverHoldsMoreInAnyTrueWindowOverMillionsOfAdversarialRequests() {
        Seeded random = Seeded.random("strict sliding window");
        long requests = Seeded.scaled(1_000_000, 100_000_000);
        long admitted = 0;
        for (long asked = 0; asked < requests; asked += 100_000) {
            long window = random.magnitude(1, 60_000_000);
            int slices = (int) random.magnitude(1, Math.min(window, 60));
            SlidingWindow limit = Limit.named("x")
                    .slidingWindow(random.magnitude(1, 1_000_000), Driven.micros(window))
                    .withSlices(slices);
            admitted += attack(random, limit, 100_000);
        }
        assertThat(admitted).isPositive();
    }

    /** Asks at the edges of slices, exactly a window after an admission, in bursts, and with all weights. */
    private static long attack(Seeded random, SlidingWindow limit, int requests) {
        Demand[] weights = new Demand[16];
        for (int i = 0; i < weights.length; i++) {
            long permits = i < 4 ? i + 1 : Math.max(1, limit.limit() * i / 16);
            weights[i] = Demand.of(limit, "k", permits).orAtLeast(i % 3 == 0 ? 1 : permits);
        }
        Driven count = new Driven(limit);
        long slice = limit.sliceMicros();
        long window = limit.windowMicros();
        TrueWindow truth = new TrueWindow(window);
        long now = Driven.NOW;
        for (int i = 0; i < requests; i++) {
            long edge = (Math.floorDiv(now, slice) + 1) * slice;
            long next =
                    switch (random.nextInt(16)) {
                        case 0 -> edge - 1;
                        case 1 -> edge;
                        case 2 -> edge + 1;
                        case 3 -> truth.oldestMicros() + window - 1;
                        case 4 -> truth.oldestMicros() + window;
                        case 5 -> now + random.nextLong(slice) + 1;
                        case 6 -> random.oneIn(20) ? edge + window - slice - 1 : now;
                        case 7 -> random.oneIn(200) ? now + 3 * window : now;
                        default -> now;
                    };
            now = Math.max(now, next);
            long granted = count.take(weights[random.nextInt(weights.length)], now);
            if (granted > 0 && truth.add(now, granted) > limit.limit()) {
                fail("%s: %s holds %d", random, limit, truth.sum);
            }
        }
        return truth.total;
    }

    @Test
    void aSlidingLogAdmitsExactlyWhatATrueWindowHasRoomFor() {
        Seeded random = Seeded.random("sliding log");
        for (long round = Seeded.scaled(50, 2_000); round > 0; round--) {
            SlidingLog limit = (SlidingLog) Driven.limit(random, 6);
            Driven count = new Driven(limit);
            TrueWindow truth = new TrueWindow(limit.windowMicros());
            long now = Driven.NOW;
            for (int i = 0; i < 2_000; i++) {
                now += step(random, limit.windowMicros());
                if (random.oneIn(10)) {
                    now = Math.max(now, truth.oldestMicros() + limit.windowMicros() - random.nextInt(2));
                }
                Demand demand = demand(random, limit);
                long room = limit.limit() - truth.at(now);
                long expected = demand.permits() <= room ? demand.permits() : demand.atLeast() <= room ? room : 0;
                assertThat(count.take(demand, now)).as("%s: %s", random, limit).isEqualTo(expected);
                if (expected > 0) {
                    truth.add(now, expected);
                }
            }
        }
    }

    @Test
    void concurrencyNeverHasMoreThanTheLimitInFlight() {
        Seeded random = Seeded.random("concurrency");
        for (long round = Seeded.scaled(50, 2_000); round > 0; round--) {
            Concurrency limit = (Concurrency) Driven.limit(random, 7);
            long ttl = limit.windowMicros();
            Driven count = new Driven(limit);
            Map<Demand, Verdict> flying = new HashMap<>();
            Map<Demand, Long> ends = new HashMap<>();
            long now = Driven.NOW;
            for (int i = 0; i < 1_000; i++) {
                now += step(random, ttl);
                long moment = now;
                flying.keySet().removeIf(demand -> ends.get(demand) <= moment);
                List<Demand> held = new ArrayList<>(flying.keySet());
                held.sort((one, other) -> one.holder().compareTo(other.holder()));
                Demand some = held.isEmpty() ? null : held.get(random.nextInt(held.size()));
                if (some != null && random.oneIn(4)) {
                    count.giveBack(Driven.charge(some, flying.remove(some)), now);
                } else if (some != null && random.oneIn(4)) {
                    assertThat(count.renew(Driven.charge(some, flying.get(some)), now))
                            .as("%s: %s is held", random, limit)
                            .isTrue();
                    ends.put(some, now + ttl);
                } else {
                    Demand demand = demand(random, limit).heldBy("h" + i);
                    long inFlight =
                            flying.values().stream().mapToLong(Verdict::granted).sum();
                    Verdict verdict = count.ask(demand, now);
                    assertThat(verdict.fits())
                            .as("%s: %s with %d in flight", random, demand, inFlight)
                            .isEqualTo(inFlight + demand.atLeast() <= limit.limit());
                    if (verdict.fits()) {
                        assertThat(inFlight + verdict.granted()).isLessThanOrEqualTo(limit.limit());
                        flying.put(demand, verdict);
                        ends.put(demand, now + ttl);
                    }
                }
            }
        }
    }

    @Test
    void aHolderWhoseTimeIsOverMayTakeAPermitAgain() {
        Concurrency limit = Limit.named("x").concurrency(2, Duration.ofSeconds(10));
        Driven count = new Driven(limit);
        Demand job = Demand.of(limit, "k", 1).heldBy("nightly-job");
        assertThat(count.ask(job, Driven.NOW).fits()).isTrue();
        assertThat(count.ask(job, Driven.NOW + 9_999_999).fits()).isFalse();
        assertThat(count.ask(job, Driven.NOW + 10_000_000).fits()).isTrue();
    }

    @Test
    void aHolderThatAsksAgainLearnsWhenItsOwnPermitEnds() {
        Concurrency limit = Limit.named("x").concurrency(3, Duration.ofSeconds(10));
        Driven count = new Driven(limit);
        count.ask(Demand.of(limit, "k", 1).heldBy("first"), Driven.NOW);
        Demand second = Demand.of(limit, "k", 1).heldBy("second");
        count.ask(second, Driven.NOW + 5_000_000);
        assertThat(count.ask(second, Driven.NOW + 6_000_000).retryAfterMicros()).isEqualTo(9_000_000);
    }

    private static Demand demand(Seeded random, Limit limit) {
        long permits = random.oneIn(3) ? 1 : 1 + random.nextLong(limit.capacity());
        return Demand.of(limit, "k", permits).orAtLeast(random.oneIn(3) ? 1 + random.nextLong(permits) : permits);
    }

    /** Mostly bursts; otherwise anything between a microsecond and a few windows. */
    private static long step(Seeded random, long span) {
        return switch (random.nextInt(4)) {
            case 0 -> random.magnitude(1, span);
            case 1 -> random.oneIn(10) ? random.nextLong(2 * span) : 1;
            default -> 0;
        };
    }

    /** Checks {@code admitted in [s, t] ≤ burst + rate × (t − s)} for every two admissions, in exact integers. */
    private static final class Flow {

        private final BigInteger permits;
        private final BigInteger micros;
        private final BigInteger burst;
        private long slackMicros;
        private BigInteger admitted = BigInteger.ZERO;
        private BigInteger least;

        Flow(Rate rate, BigInteger burst) {
            this.permits = BigInteger.valueOf(rate.permits());
            this.micros = BigInteger.valueOf(rate.perMicros());
            this.burst = burst;
        }

        Flow withSlackMicros(long slack) {
            slackMicros = slack;
            return this;
        }

        void admitted(long at, long granted, String what) {
            BigInteger before = height(at);
            least = least == null ? before : least.min(before);
            admitted = admitted.add(BigInteger.valueOf(granted));
            BigInteger most = burst.multiply(micros).add(permits.multiply(BigInteger.valueOf(slackMicros)));
            if (height(at).subtract(least).compareTo(most) > 0) {
                fail(what + " admitted too much by " + at);
            }
        }

        private BigInteger height(long at) {
            return admitted.multiply(micros).subtract(permits.multiply(BigInteger.valueOf(at)));
        }
    }

    /**
     * Checks that each slot follows every earlier one by at least the permits in between divided by the rate, to the
     * microsecond.
     */
    private static final class Spacing {

        private final BigInteger permits;
        private final BigInteger micros;
        private BigInteger earliest = BigInteger.ZERO;

        Spacing(Rate rate) {
            this.permits = BigInteger.valueOf(rate.permits());
            this.micros = BigInteger.valueOf(rate.perMicros());
        }

        void slot(long at, long granted, String what) {
            // All values are in units of which a microsecond has `permits` and a permit has `micros`.
            BigInteger slot = permits.multiply(BigInteger.valueOf(at));
            if (slot.compareTo(earliest) < 0) {
                fail(what + " handed out a slot too early: " + at);
            }
            // The slot itself was rounded up by less than a microsecond.
            BigInteger begun = slot.subtract(permits).add(BigInteger.ONE).max(earliest);
            earliest = begun.add(micros.multiply(BigInteger.valueOf(granted)));
        }
    }

    /** The actual content of a window that ends now. It includes its end but not its beginning. */
    private static final class TrueWindow {

        private final long micros;
        private final ArrayDeque<long[]> admissions = new ArrayDeque<>();
        private long sum;
        private long total;

        TrueWindow(long micros) {
            this.micros = micros;
        }

        long at(long now) {
            while (!admissions.isEmpty() && admissions.peekFirst()[0] <= now - micros) {
                sum -= admissions.removeFirst()[1];
            }
            return sum;
        }

        long add(long now, long permits) {
            at(now);
            admissions.addLast(new long[] {now, permits});
            total += permits;
            sum += permits;
            return sum;
        }

        long oldestMicros() {
            return admissions.isEmpty() ? 0 : admissions.peekFirst()[0];
        }
    }
}
