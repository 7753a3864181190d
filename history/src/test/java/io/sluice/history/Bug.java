package io.sluice.history;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.history.Violation.Kind;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** A mistake that somebody could make, planted in a simulation; which limits it shows on, and which promise it breaks. */
@SuppressWarnings("ImmutableEnumChecker") // lists of limits are
enum Bug {
    NONE(null),
    /** The store reads for two asks before it writes for either. */
    NON_ATOMIC(Kind.MODEL, bucket(), fixed()),
    /** The store counts by the clock of who asks. */
    CLIENT_TIME(Kind.TIME, bucket(), log()),
    /** Time that steps back a little flows twice. */
    MISSING_CLAMP(Kind.MODEL, bucket()),
    /** Time that steps back far makes the count new. */
    CREDIT_AFTER_REBASE(Kind.MODEL, bucket(), log(), window()),
    /** A node gives the same charge back twice. */
    RETURNED_TWICE(Kind.RETURNED, bucket(), log(), fixed()),
    /** What has flowed back by itself is given back, too. */
    RETURNS_WHAT_HAS_FLOWED(Kind.MODEL, bucket()),
    /** A node asks again when the answer is late. */
    BLIND_RETRY(Kind.TWICE, bucket(), log()),
    /** One more than the limit passes. */
    ONE_TOO_MANY(Kind.INTERVAL, log(), fixed()),
    ONE_TOO_MANY_IN_A_BUCKET(Kind.MODEL, bucket(), leaky()),
    /** A log forgets an admission a microsecond too early. */
    EDGE_OF_THE_WINDOW(Kind.INTERVAL, shortLog()),
    /** A count is gone before it has aged. */
    STATE_LOST(Kind.MODEL, bucket(), log(), fixed(), window()),
    /** Who was refused pays all the same. */
    CHARGED_REFUSALS(Kind.MODEL, bucket(), log(), window()),
    /** The limits of an ask are charged one after the other, until one refuses. */
    HALF_AN_ASK(Kind.PARTIAL, bucket(), log()),
    /** The oldest slice, of which only a part is over, no longer counts. */
    WRONG_SLICE_DROPPED(Kind.INTERVAL, window()),
    /** Two admissions in one millisecond are one member of the log. */
    MILLISECOND_AS_MEMBER(Kind.INTERVAL, log()),
    /** A permit that is released twice frees somebody else's. */
    RELEASED_TWICE(Kind.INTERVAL, held()),
    /** The store goes by the numbers that it heard first. */
    STALE_LIMIT(Kind.MODEL, bucket(), log(), fixed()),
    /** Slots are handed out without waiting for those before. */
    SLOTS_TOO_EARLY(Kind.INTERVAL, leaky()),
    /** A lease is granted and nothing charged. */
    LEASE_NOT_CHARGED(Kind.MODEL, bucket(), fixed()),
    /** The share of the limit is not looked at. */
    LEASE_BEYOND_CAP(Kind.LEASE_CAP, bucket(), fixed(), window()),
    /** A node spends a lease after its end. */
    LEASE_SPENT_LATE(Kind.LEASE_EXPIRED, bucket(), fixed()),
    /** A lease goes on after its window. */
    LEASE_OUTLIVES_WINDOW(Kind.LEASE_EXPIRED, fixed()),
    /** A node spends more than it was granted. */
    LEASE_OVERSPENT(Kind.LEASE_OVERSPENT, bucket(), fixed()),
    /** A node forgets some of what it spent when it ends a lease. */
    LEASE_RETURNS_SPENT(Kind.LEASE_ENDED, bucket(), fixed()),
    /** The store gives back twice when a lease is ended twice. */
    LEASE_ENDED_TWICE(Kind.LEASE_ENDED, bucket(), fixed()),
    /** Callers pass though the store refused. */
    TOLD_ALLOWED(Kind.ANSWER, bucket(), log()),
    /** A refusal is remembered beyond the moment that the store named. */
    REMEMBERED_TOO_LONG(Kind.REMEMBERED, bucket(), log());

    final Kind breaks;
    final List<Limit> limits;

    Bug(Kind breaks, Limit... limits) {
        this.breaks = breaks;
        this.limits = List.of(limits);
    }

    static List<Limit> all() {
        return List.of(
                bucket(),
                leaky(),
                fixed(),
                window(),
                new SlidingWindow("estimate", 9, Duration.ofSeconds(2), 4, true),
                log(),
                held(),
                Limit.named("wait").tokenBucket(Rate.perSecond(4)).withBurst(3).withMaxWait(Duration.ofSeconds(1)),
                Limit.named("odd")
                        .tokenBucket(new Rate(7, Duration.ofMillis(3_001)))
                        .withBurst(11));
    }

    private static Limit bucket() {
        return Limit.named("bucket").tokenBucket(Rate.perSecond(5)).withBurst(10);
    }

    private static Limit leaky() {
        return Limit.named("leaky").leakyBucket(Rate.perSecond(5)).withCapacity(4);
    }

    private static Limit fixed() {
        return Limit.named("fixed").fixedWindow(12, Duration.ofSeconds(3));
    }

    private static SlidingWindow window() {
        return Limit.named("window").slidingWindow(10, Duration.ofSeconds(2)).withSlices(4);
    }

    private static SlidingLog log() {
        return Limit.named("log").slidingLog(6, Duration.ofSeconds(2));
    }

    private static SlidingLog shortLog() {
        return Limit.named("edge").slidingLog(3, Duration.of(20, ChronoUnit.MICROS));
    }

    private static Limit held() {
        return Limit.named("held").concurrency(4, Duration.ofSeconds(4));
    }
}
