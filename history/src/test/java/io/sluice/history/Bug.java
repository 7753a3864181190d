package io.sluice.history;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.history.Violation.Kind;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** A plausible mistake planted in a simulation, with the limits on which it shows and the promise that it breaks. */
@SuppressWarnings("ImmutableEnumChecker") // the lists of limits are immutable
enum Bug {
    NONE(null),
    /** The store reads for two requests before it writes for either. */
    NON_ATOMIC(Kind.MODEL, bucket(), fixed()),
    /** The store counts by the clock of the client. */
    CLIENT_TIME(Kind.TIME, bucket(), log()),
    /** Time that steps back a little is counted twice. */
    MISSING_CLAMP(Kind.MODEL, bucket()),
    /** Time that steps back far resets the count. */
    CREDIT_AFTER_REBASE(Kind.MODEL, bucket(), log(), window()),
    /** A node gives the same charge back twice. */
    RETURNED_TWICE(Kind.RETURNED, bucket(), log(), fixed()),
    /** A refund also returns what has already drained. */
    RETURNS_WHAT_HAS_FLOWED(Kind.MODEL, bucket()),
    /** A node asks again when the answer is late. */
    BLIND_RETRY(Kind.TWICE, bucket(), log()),
    /** One more than the limit passes. */
    ONE_TOO_MANY(Kind.INTERVAL, log(), fixed()),
    ONE_TOO_MANY_IN_A_BUCKET(Kind.MODEL, bucket(), leaky()),
    /** A log forgets an admission a microsecond too early. */
    EDGE_OF_THE_WINDOW(Kind.INTERVAL, shortLog()),
    /** A count is lost before it has aged. */
    STATE_LOST(Kind.MODEL, bucket(), log(), fixed(), window()),
    /** A refused request is charged nevertheless. */
    CHARGED_REFUSALS(Kind.MODEL, bucket(), log(), window()),
    /** The limits of a request are charged one after the other, until one refuses. */
    HALF_AN_ASK(Kind.PARTIAL, bucket(), log()),
    /** The oldest slice no longer counts although only part of it is over. */
    WRONG_SLICE_DROPPED(Kind.INTERVAL, window()),
    /** Two admissions in one millisecond are one member of the log. */
    MILLISECOND_AS_MEMBER(Kind.INTERVAL, log()),
    /** A permit that is released twice frees another caller's permit. */
    RELEASED_TWICE(Kind.INTERVAL, held()),
    /** The store keeps using the numbers that it received first. */
    STALE_LIMIT(Kind.MODEL, bucket(), log(), fixed()),
    /** Limits with other numbers have counts of their own. */
    COUNT_PER_NUMBERS(Kind.MODEL, bucket(), leaky(), fixed(), window(), log()),
    /** Slots are assigned without waiting for those before. */
    SLOTS_TOO_EARLY(Kind.INTERVAL, leaky()),
    /** A lease is granted and nothing is charged. */
    LEASE_NOT_CHARGED(Kind.MODEL, bucket(), fixed()),
    /** The share of the limit is ignored. */
    LEASE_BEYOND_CAP(Kind.LEASE_CAP, bucket(), fixed(), window()),
    /** A node spends a lease after its end. */
    LEASE_SPENT_LATE(Kind.LEASE_EXPIRED, bucket(), fixed()),
    /** A lease outlasts its window. */
    LEASE_OUTLIVES_WINDOW(Kind.LEASE_EXPIRED, fixed()),
    /** A node spends more than it was granted. */
    LEASE_OVERSPENT(Kind.LEASE_OVERSPENT, bucket(), fixed()),
    /** A node forgets some of what it spent when it ends a lease. */
    LEASE_RETURNS_SPENT(Kind.LEASE_ENDED, bucket(), fixed()),
    /** The store returns permits twice when a lease is ended twice. */
    LEASE_ENDED_TWICE(Kind.LEASE_ENDED, bucket(), fixed()),
    /** Callers pass although the store refused. */
    TOLD_ALLOWED(Kind.ANSWER, bucket(), log()),
    /** A refusal is cached beyond the retry time of the store. */
    REMEMBERED_TOO_LONG(Kind.REMEMBERED, bucket(), log()),
    /** The store ignores what a demand keeps for others. */
    KEEP_IGNORED(Kind.MODEL, bucket(), fixed(), window(), log()),
    KEEP_IGNORED_IN_AN_INTERVAL(Kind.INTERVAL, fixed(), log(), held()),
    /** The store settles a reservation again when it is sent again. */
    SETTLED_TWICE(Kind.SETTLED, bucket(), fixed(), window(), log()),
    /** The store settles reservations that are too old. */
    SETTLED_LATE(Kind.SETTLED, bucket(), fixed()),
    /** A node settles a reservation under two names. */
    SETTLED_UNDER_TWO_NAMES(Kind.SETTLED, bucket(), fixed(), window(), log()),
    /** A settlement gives back all that was reserved, and one more. */
    SETTLEMENT_GIVES_TOO_MUCH(Kind.SETTLED, fixed(), log()),
    /** A settlement charges less than was used if the rest does not fit. */
    DEBT_FORGIVEN(Kind.MODEL, bucket(), fixed(), window(), log()),
    /** The store says that it charged a debt and does not. */
    DEBT_LOST(Kind.INTERVAL, fixed(), log()),
    /** A settlement gives back permits of a window that is over. */
    SETTLES_THE_WRONG_WINDOW(Kind.MODEL, fixed());

    final Kind breaks;
    final List<Limit> limits;

    Bug(Kind breaks, Limit... limits) {
        this.breaks = breaks;
        this.limits = List.of(limits);
    }

    /** Returns whether the bug shows only where the numbers of a limit change. */
    boolean needsChanges() {
        return this == STALE_LIMIT || this == COUNT_PER_NUMBERS;
    }

    /** Returns whether nodes keep permits for others and settle reservations. */
    boolean hasSettlements() {
        return this == NONE || compareTo(KEEP_IGNORED) >= 0;
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
