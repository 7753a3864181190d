package io.sluice.history;

import io.sluice.core.algorithm.Count;
import io.sluice.core.algorithm.StepBack;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A count with a bug. Without a bug, it behaves like the real count. */
final class FaultyCount extends Count {

    private final Bug bug;
    private final Limit first;
    private final Set<String> holders = new LinkedHashSet<>();
    private final Map<Limit, Count> counts = new HashMap<>();
    private Count count;
    private Demand demand;
    private long lastMicros = Long.MIN_VALUE;
    private long chargedMillis = Long.MIN_VALUE;

    /** How far a count that does not clamp has shifted its own time, so that it never stands still. */
    private long shiftMicros;

    FaultyCount(Limit limit, Bug bug) {
        this.bug = bug;
        this.first = limit;
        this.count = Count.of(mutated(limit));
        this.demand = Demand.of(limit, "", 1);
    }

    @Override
    public long grant(Demand asked, long now) {
        pass(now);
        demand = asked.on(mutated(asked.limit()));
        if ((bug == Bug.KEEP_IGNORED || bug == Bug.KEEP_IGNORED_IN_AN_INTERVAL) && demand.isCharged()) {
            demand = demand.keeping(0);
        }
        if (bug == Bug.COUNT_PER_NUMBERS) {
            count = counts.computeIfAbsent(asked.limit(), Count::of);
        }
        return count.grant(demand, now + shiftMicros);
    }

    @Override
    public Verdict verdict(Demand asked, long grant, boolean charged, long now) {
        Verdict told = count.verdict(demand, grant, charged, now + shiftMicros);
        boolean early = bug == Bug.SLOTS_TOO_EARLY && told.waitMicros() > 0;
        return new Verdict(
                told.fits(),
                told.granted(),
                told.remaining(),
                told.retryAfterMicros(),
                told.resetAfterMicros(),
                early ? told.waitMicros() / 2 : told.waitMicros(),
                told.chargedAtMicros() - shiftMicros,
                told.keptForOthers());
    }

    @Override
    public void charge(Demand asked, long granted, long now) {
        boolean member = bug == Bug.MILLISECOND_AS_MEMBER && now / 1_000 == chargedMillis;
        chargedMillis = now / 1_000;
        if (!member) {
            count.charge(demand, granted, now + shiftMicros);
            holders.add(asked.holder());
        }
    }

    @Override
    public void refuse(long now) {
        if (bug == Bug.CHARGED_REFUSALS) {
            count.charge(demand, demand.permits(), now);
        } else {
            count.refuse(now + shiftMicros);
        }
    }

    @Override
    public void giveBack(Charge charge, long now) {
        pass(now);
        boolean released = charge.isHeld() && !holders.remove(charge.holder());
        if (bug == Bug.RELEASED_TWICE && released && !holders.isEmpty()) {
            String other = List.copyOf(holders).get(holders.size() - 1);
            holders.remove(other);
            count.giveBack(new Charge(charge.limit(), charge.key(), charge.permits(), 0, other), now);
            return;
        }
        long at = bug == Bug.RETURNS_WHAT_HAS_FLOWED ? now : charge.chargedAtMicros() + shiftMicros;
        count.giveBack(
                new Charge(charge.limit(), charge.key(), charge.permits(), at, charge.holder()), now + shiftMicros);
    }

    @Override
    public long settle(Settlement settlement, long now) {
        pass(now);
        long more = settlement.more();
        if (bug == Bug.DEBT_LOST && more > 0) {
            return more;
        } else if (bug == Bug.DEBT_FORGIVEN && more > 0) {
            Demand any = Demand.of(settlement.limit(), settlement.key(), 1);
            count.grant(any, now);
            long room = count.verdict(any, 0, false, now).remaining();
            return count.settle(settling(settlement, 0, Math.min(more, room), settlement.chargedAtMicros()), now);
        } else if (bug == Bug.SETTLEMENT_GIVES_TOO_MUCH && more < 0) {
            return count.settle(settling(settlement, settlement.reserved() + 1, 0, settlement.chargedAtMicros()), now);
        } else if (bug == Bug.SETTLES_THE_WRONG_WINDOW && more < 0) {
            return count.settle(settling(settlement, settlement.reserved(), settlement.actual(), now), now);
        }
        return count.settle(settlement, now + shiftMicros);
    }

    private static Settlement settling(Settlement like, long reserved, long actual, long chargedAtMicros) {
        return new Settlement(
                like.limit(), like.key(), reserved, actual, chargedAtMicros, like.id(), like.withinMicros());
    }

    @Override
    public boolean renew(Charge charge, long now) {
        return count.renew(charge, now);
    }

    @Override
    public boolean isUnused(long now) {
        return count.isUnused(now + shiftMicros);
    }

    private void pass(long now) {
        long back = lastMicros == Long.MIN_VALUE ? 0 : lastMicros - now;
        boolean rebased = back > StepBack.CLAMPED_MICROS;
        boolean rested = lastMicros != Long.MIN_VALUE && -back > 400_000;
        if ((bug == Bug.CREDIT_AFTER_REBASE && rebased) || (bug == Bug.STATE_LOST && rested)) {
            count = Count.of(mutated(first));
        } else if (bug == Bug.MISSING_CLAMP && back > 0) {
            shiftMicros += back;
        }
        lastMicros = now;
    }

    private Limit mutated(Limit limit) {
        return switch (bug) {
            case STALE_LIMIT -> first;
            case ONE_TOO_MANY, ONE_TOO_MANY_IN_A_BUCKET -> withOneMore(limit);
            case EDGE_OF_THE_WINDOW ->
                new SlidingLog(
                        limit.name(), limit.capacity(), Duration.of(limit.windowMicros() - 1, ChronoUnit.MICROS));
            case WRONG_SLICE_DROPPED -> {
                SlidingWindow window = (SlidingWindow) limit;
                Duration shorter = Duration.of(window.windowMicros() - window.sliceMicros(), ChronoUnit.MICROS);
                yield new SlidingWindow(window.name(), window.limit(), shorter, window.slices() - 1, false);
            }
            default -> limit;
        };
    }

    private static Limit withOneMore(Limit limit) {
        Limit.Named named = Limit.named(limit.name());
        long more = limit.capacity() + 1;
        if (limit instanceof TokenBucket bucket) {
            return bucket.withBurst(more);
        } else if (limit instanceof LeakyBucket bucket) {
            return bucket.withCapacity(more);
        } else if (limit instanceof FixedWindow window) {
            return named.fixedWindow(more, Duration.of(window.windowMicros(), ChronoUnit.MICROS));
        } else if (limit instanceof Concurrency held) {
            return named.concurrency(more, held.ttl());
        }
        return named.slidingLog(more, Duration.of(limit.windowMicros(), ChronoUnit.MICROS));
    }
}
