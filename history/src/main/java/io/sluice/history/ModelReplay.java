package io.sluice.history;

import io.sluice.core.algorithm.Count;
import io.sluice.core.algorithm.StepBack;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replays the steps of one count with the pure algorithm, in order and at the store's time.
 *
 * <p>As long as every step is known, there is one count, and every answer must match it to the microsecond. The effect of missing steps is
 * unknown. From the first missing step on there are two counts: one with the least possible use ({@code least}: nothing) and one with the
 * greatest ({@code most}: more than any limit). All algorithms are monotone in the use of a count, so the true count lies between the two.
 * A demand that even {@code most} admits must be admitted, a demand that even {@code least} refuses must be refused, and the remaining
 * permits lie between the remaining permits of the two. Both counts then follow the known steps. They converge when
 *
 * <ul>
 * <li>something is charged after a window has passed, because everything unknown has passed with it (windows, logs, concurrency
 *     permits), or
 * <li>an answer itself reveals the use: the time until a bucket is unused, to the permit; the remaining permits of a fixed
 *     window, exactly; the remaining permits of a sliding window or log, as a bound on {@code most}.
 * </ul>
 *
 * If time steps back meanwhile, both counts start over, because the time from which the store counts is unknown. The same holds for every
 * step until the first step that was meant to charge: only such a step makes the store write down that its time was ahead.
 */
final class ModelReplay {

    /** A number of permits that is more than any limit admits, and so small that a count can hold twice as many. */
    private static final long ENDLESS = Count.MOST_USED / 2;

    private static final String SOMEBODY = "?";

    private Count least;
    private Count most;
    private boolean exact = true;
    private boolean unsettled;
    private long unknownAt;
    private long longestMicros;
    private long ttlMicros;
    private long lastMicros = Long.MIN_VALUE;

    /** The times of the charges that {@code least} holds since steps are missing. Earlier charges are not included. */
    private final Set<Long> heldByLeast = new HashSet<>();

    /** The latest time since the last step at which the store certainly wrote down its time. */
    private long latestMicros = Long.MIN_VALUE;

    ModelReplay(Limit limit) {
        this.least = Count.of(limit);
        this.most = least;
    }

    boolean isExact() {
        return exact;
    }

    /** Notes that this limit may have charged something. */
    void heardOf(Limit limit) {
        longestMicros = Math.max(longestMicros, memoryOf(limit));
    }

    /** Starts a step. Call it before each step. */
    void begin(Limit limit, long nowMicros) {
        heardOf(limit);
        boolean otherTtl = limit.kind().holds() && limit.windowMicros() != ttlMicros;
        ttlMicros = limit.windowMicros();
        if (!exact && (unsettled || nowMicros < lastMicros || otherTtl)) {
            forget(limit, nowMicros);
        }
        lastMicros = nowMicros;
        latestMicros = Math.max(latestMicros, nowMicros);
    }

    /** Notes that steps which were not recorded may have changed the count. */
    void forget(Limit limit, long nowMicros) {
        Count full = Count.of(limit);
        // The latest possible time: the store's time may have been ahead by as much as the store waits.
        long latest = nowMicros + StepBack.CLAMPED_MICROS;
        Demand anything = demand(limit, "", 1, 1, 0, SOMEBODY);
        full.grant(anything, latest);
        full.charge(anything, ENDLESS, latest);
        most = full;
        emptyLeast(limit);
        unsettled = true;
        unknownAt = nowMicros;
    }

    /** Returns a sentence about a wrong answer, or null if the answer is right. */
    @Nullable
    String asked(Demand demand, boolean charging, Verdict told, long nowMicros) {
        boolean charged = told.granted() > 0;
        long atMost = least.grant(demand, nowMicros);
        String wrong;
        if (exact) {
            Verdict expected = least.verdict(demand, atMost, charging && charged, nowMicros);
            wrong = expected.equals(told) ? null : told + " (expected: " + expected + ")";
        } else {
            wrong = between(demand, told, most.grant(demand, nowMicros), atMost, charged, nowMicros);
        }
        if (charging) {
            unsettled = false;
            latestMicros = Math.max(nowMicros, told.chargedAtMicros());
        }
        if (charged) {
            charge(demand, told.granted(), told.chargedAtMicros(), nowMicros);
            if (!exact) {
                narrow(demand, told, nowMicros);
            }
        } else if (charging) {
            each(count -> count.refuse(nowMicros));
        }
        return wrong;
    }

    /** Returns a sentence about a wrong lease, or null if the lease is right. */
    @Nullable
    String granted(Demand demand, StepEvent.Granted lease, long nowMicros) {
        long permits = demand.permits();
        long atMost = least.grant(demand, nowMicros);
        most.grant(demand, nowMicros);
        String wrong = null;
        if (atMost < permits) {
            wrong = "a lease of " + permits + " (expected: a smaller one or none)";
        } else if (exact) {
            Verdict expected = least.verdict(demand, permits, true, nowMicros);
            boolean same = expected.chargedAtMicros() == lease.chargedAtMicros()
                    && expected.waitMicros() == lease.waitMicros();
            wrong = same ? null : lease + " (expected: charge time and wait of " + expected + ")";
        }
        charge(demand, permits, lease.chargedAtMicros(), nowMicros);
        unsettled = false;
        latestMicros = Math.max(nowMicros, lease.chargedAtMicros());
        return wrong;
    }

    /**
     * Returns a sentence about a wrong refusal of a lease, or null if the refusal is right.
     *
     * @param changed true if the store wrote something
     */
    @Nullable
    String refused(Demand demand, boolean refusedByLimit, boolean changed, long nowMicros) {
        long grant = most.grant(demand, nowMicros);
        if (StepBack.rebases(latestMicros, nowMicros)) {
            // Either the share refused before the store read the count, or the limit refused and the store wrote down
            // that time stepped back.
            forget(demand.limit(), nowMicros);
        } else if (changed && isBucket(demand.limit())) {
            // The limit refused, and its rate has changed.
            least.grant(demand, nowMicros);
            each(count -> count.refuse(nowMicros));
        }
        return refusedByLimit && grant > 0
                ? "no lease (expected: one of " + grant + ", or of at least " + demand.atLeast() + ")"
                : null;
    }

    void givenBack(Charge charge, long nowMicros) {
        Limit limit = charge.limit();
        if (exact || limit.kind().holds()) {
            each(count -> count.giveBack(charge, nowMicros));
        } else {
            // Either all of the charge still counts or nothing of it, depending on the missing steps.
            givenBackSome(limit, nowMicros);
        }
    }

    /** Notes a refund of an unknown number of permits. */
    void givenBackSome(Limit limit, long nowMicros) {
        if (StepBack.rebases(latestMicros, nowMicros)) {
            // The store moved the charges that still count to the present.
            forget(limit, nowMicros);
            return;
        }
        emptyLeast(limit);
        unknownAt = lastMicros;
    }

    private void emptyLeast(Limit limit) {
        least = Count.of(limit);
        heldByLeast.clear();
        exact = false;
    }

    /**
     * Returns a sentence about a settlement that changed the count by a wrong amount, or null if the amount is right.
     *
     * @param change the permits that the store charged in addition; negative if it gave some back
     */
    @Nullable
    String settled(Settlement settlement, long change, long nowMicros) {
        if (exact) {
            long expected = least.settle(settlement, nowMicros);
            return expected == change
                    ? null
                    : "reservation %s of %d settled with %d changed the count by %d (expected: %d)"
                            .formatted(settlement.id(), settlement.reserved(), settlement.actual(), change, expected);
        }
        if (change < 0 || (isBucket(settlement.limit()) && settlement.more() < 0)) {
            returned(settlement, change, nowMicros);
        } else if (change > 0) {
            charged(settlement, change, nowMicros);
        }
        return null;
    }

    /** Returns to both counts the permits that the store returned. If {@code least} holds fewer permits at that time, it becomes empty. */
    private void returned(Settlement settlement, long change, long nowMicros) {
        Limit limit = settlement.limit();
        if (isBucket(limit)) {
            // The store may have returned a part of a permit, which the change does not show.
            givenBackSome(limit, nowMicros);
            return;
        }
        boolean held = heldByLeast.contains(settlement.chargedAtMicros());
        Settlement same = settling(settlement, -change, 0, settlement.chargedAtMicros());
        if (least.settle(same, nowMicros) != change) {
            givenBackSome(limit, nowMicros);
        } else if (!held) {
            // The permits were taken from other charges of the same slice.
            heldByLeast.clear();
        }
        long unused = most.settle(same, nowMicros);
    }

    /**
     * Charges both counts with the permits that the store charged. The store charges them at the time of the reservation if the reservation
     * still counts, and at the present time otherwise; the missing steps decide between the two. So {@code most} is charged as late as
     * possible, and {@code least} is charged only if it also holds the reservation.
     */
    private void charged(Settlement settlement, long change, long nowMicros) {
        Limit limit = settlement.limit();
        if (isBucket(limit)) {
            // The rate at which the bucket drains from now on depends on whether it had drained.
            forget(limit, nowMicros);
            return;
        }
        boolean held = settlement.reserved() > 0 && heldByLeast.contains(settlement.chargedAtMicros());
        if (held || limit.windows() != null) {
            long unused = least.settle(settling(settlement, 0, change, settlement.chargedAtMicros()), nowMicros);
        } else {
            unknownAt = nowMicros;
        }
        long latest = nowMicros + StepBack.CLAMPED_MICROS;
        long unused = most.settle(settling(settlement, 0, change, latest), nowMicros);
    }

    private static Settlement settling(Settlement like, long reserved, long actual, long chargedAtMicros) {
        return new Settlement(
                like.limit(), like.key(), reserved, actual, chargedAtMicros, like.id(), like.withinMicros());
    }

    /** Returns a sentence about a wrong answer, or null if the answer is right. */
    @Nullable
    String renewed(Charge charge, boolean held, long nowMicros) {
        boolean surely = least.renew(charge, nowMicros);
        boolean maybe = exact ? surely : most.renew(charge, nowMicros);
        if (held && charge.isHeld()) {
            Demand again = demand(charge.limit(), charge.key(), charge.permits(), 1, 0, charge.holder());
            if (!surely) {
                least.grant(again, nowMicros);
                least.charge(again, charge.permits(), nowMicros);
            }
            if (!exact && !maybe) {
                most.grant(again, nowMicros);
                most.charge(again, charge.permits(), nowMicros);
            }
        }
        return exact
                ? (held == surely ? null : "held: " + held + " (expected: " + surely + ")")
                : surely && !held ? "held: false (expected: true)" : null;
    }

    static Demand demand(Limit limit, String key, long permits, long atLeast, long maxWaitMicros, String holder) {
        return Demand.of(limit, key, permits)
                .orAtLeast(atLeast)
                .waitingUpTo(maxWaitMicros)
                .heldBy(limit.kind().holds() ? holder : "");
    }

    private @Nullable String between(
            Demand demand, Verdict told, long atLeast, long atMost, boolean charged, long nowMicros) {
        if (told.fits() && atMost == 0) {
            return told + " (expected: refused, whatever the missing steps did)";
        } else if (!told.fits() && atLeast > 0) {
            return told + " (expected: admitted, whatever the missing steps did)";
        } else if (charged && (told.granted() < atLeast || told.granted() > atMost)) {
            return told + " (expected: " + atLeast + ".." + atMost + " granted)";
        }
        long high = least.verdict(demand, told.granted(), charged, nowMicros).remaining();
        long low = most.verdict(demand, told.granted(), charged, nowMicros).remaining();
        return told.remaining() < low || told.remaining() > high
                ? told + " (expected: " + low + ".." + high + " remaining)"
                : null;
    }

    /** Narrows the two counts by the state after a charge, as far as the answer shows it. */
    private void narrow(Demand demand, Verdict told, long nowMicros) {
        Limit limit = demand.limit();
        long at = Math.max(nowMicros, told.chargedAtMicros());
        Pace pace = limit.pace();
        if (pace != null) {
            long drains = told.resetAfterMicros() - (told.chargedAtMicros() - nowMicros);
            if (!pace.isZero() && drains > 0 && drains < Pace.MAX_MICROS / 2) {
                least = with(demand, pace.wholeIn(drains - 1), at);
                most = with(demand, pace.wholeIn(drains) + 1, at);
            }
        } else if (told.remaining() > 0 && limit.windows() != null) {
            least = with(demand, limit.capacity() - told.remaining(), told.chargedAtMicros());
            most = least;
            exact = true;
        } else if (told.remaining() > 0 && isStrict(limit)) {
            most.grant(demand, nowMicros);
            if (most.verdict(demand, 0, false, nowMicros).remaining() < told.remaining()) {
                most = with(demand, limit.capacity() - told.remaining(), at);
            }
        }
    }

    private static Count with(Demand demand, long used, long atMicros) {
        Count count = Count.of(demand.limit());
        if (used > 0) {
            count.grant(demand, atMicros);
            count.charge(demand, used, atMicros);
        }
        return count;
    }

    /** Charges both counts. A store that writes forgets expired charges, so they do not count again when time steps back. */
    private void charge(Demand demand, long granted, long chargedAtMicros, long nowMicros) {
        each(count -> count.charge(demand, granted, nowMicros));
        if (!exact && !isBucket(demand.limit()) && chargedAtMicros == nowMicros) {
            // If the store's time is ahead, this count was charged at another time than the store's.
            heldByLeast.add(chargedAtMicros);
        }
        if (!exact
                && !isBucket(demand.limit())
                && nowMicros - unknownAt > longestMicros + 2 * StepBack.CLAMPED_MICROS) {
            exact = true;
            most = least;
            heldByLeast.clear();
        }
    }

    private void each(Consumer<Count> action) {
        action.accept(least);
        if (!exact) {
            action.accept(most);
        }
    }

    private static boolean isBucket(Limit limit) {
        return limit.pace() != null;
    }

    /** Returns true if the remaining permits show all charges that count. The weighted estimate may have another value later. */
    private static boolean isStrict(Limit limit) {
        return switch (limit.kind()) {
            case SLIDING_WINDOW, SLIDING_LOG -> !limit.weighted();
            case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, CONCURRENCY -> false;
        };
    }

    /** Returns the time after which a count of windows has forgotten a charge. */
    private static long memoryOf(Limit limit) {
        long more = limit.windows() != null ? limit.windowMicros() : 2 * limit.sliceMicros();
        return isBucket(limit) ? 0 : limit.windowMicros() + more;
    }
}
