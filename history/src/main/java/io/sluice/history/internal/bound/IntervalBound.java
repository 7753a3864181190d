package io.sluice.history.internal.bound;

import io.sluice.core.algorithm.StepBack;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Settlement;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The number of permits that a limit admits in any interval, directly from its definition and independent of its algorithm. A bound
 * receives the admissions of one count, in order. Returned permits count as not admitted. A settlement may charge more than the limit
 * allows, but no admission passes beside this debt, or takes permits that it has to keep for other callers. Doubt never counts as a
 * violation: no interval reaches across a point where time stepped back far or steps are missing.
 */
public abstract sealed class IntervalBound
        permits IntervalBound.Flow, IntervalBound.Slots, IntervalBound.Window, SpanBound, IntervalBound.Held {

    /** Returns the bound that defines a limit. The weighted estimate promises no bound, so its bound reports no violations. */
    public static IntervalBound of(Limit limit) {
        return switch (limit.kind()) {
            case TOKEN_BUCKET -> new Flow();
            case LEAKY_BUCKET -> new Slots();
            case FIXED_WINDOW -> new Window();
            case SLIDING_WINDOW, SLIDING_LOG -> new SpanBound();
            case CONCURRENCY -> new Held();
        };
    }

    private long latestMicros = Long.MIN_VALUE;

    /**
     * Notes the time of a step. Call it for each step before any other method. If time steps back further than the store waits, the bound
     * starts again.
     */
    public final void at(long nowMicros) {
        if (latestMicros != Long.MIN_VALUE && StepBack.rebases(latestMicros, nowMicros)) {
            reset();
        }
        latestMicros = Math.max(latestMicros, nowMicros);
    }

    /** Returns a sentence about a violation by this admission, or null if there is none. */
    public final @Nullable String admitted(Admission admission) {
        if (admission.permits() == 0) {
            return pass(admission);
        }
        // The store writes down its time only when it charges.
        latestMicros = admission.chargedAtMicros();
        return add(admission);
    }

    /** Starts again: no interval reaches across this moment. */
    public abstract void reset();

    abstract @Nullable String add(Admission admission);

    /**
     * Returns a sentence about a violation by an admission that takes no permits but requires some to be left, or null if there is none.
     */
    @Nullable
    String pass(Admission admission) {
        seen(admission.limit(), admission.nowMicros());
        return null;
    }

    /** Notes that a settlement charged permits, whether or not they fit. */
    void charged(Settlement settlement, long permits, long nowMicros) {}

    /** Notes that a settlement charged {@code change} additional permits, or gave permits back if {@code change} is negative. */
    public final void settled(Settlement settlement, long change, long nowMicros) {
        if (change > 0) {
            charged(settlement, change, nowMicros);
        } else if (settlement.more() < 0) {
            // Besides whole permits, a part of a permit may have been given back.
            long back = Math.min(-settlement.more(), settlement.limit().rate() != null ? 1 - change : -change);
            giveBack(settlement.limit(), back, settlement.chargedAtMicros(), nowMicros);
        }
    }

    /** Notes that permits of a limit without holders were given back, perhaps none. */
    void giveBack(Limit limit, long permits, long chargedAtMicros, long nowMicros) {}

    /** Notes that permits were given back. */
    public void givenBack(Charge charge, long nowMicros) {
        giveBack(charge.limit(), charge.permits(), charge.chargedAtMicros(), nowMicros);
    }

    /** Notes that a permit is held for its full time from now on. */
    public void renewed(Charge charge, long nowMicros) {}

    /** Notes that a demand was decided without an admission. The numbers in force may have changed. */
    public void seen(Limit limit, long nowMicros) {}

    /**
     * An admission of permits, perhaps of none.
     *
     * @param keep the number of permits that have to be left
     * @param waitMicros the time that the caller has to wait
     * @param chargedAtMicros the time at which the store counted the charge
     */
    public record Admission(
            Limit limit,
            long permits,
            long keep,
            long nowMicros,
            long waitMicros,
            long chargedAtMicros,
            String holder) {

        /** Returns the maximum number of permits that may be used afterwards. */
        long room() {
            return limit.capacity() - keep;
        }

        /** Describes this limit for a violation: the permits that it allows, and the permits that are kept. */
        String allowed(String what) {
            return "at most %s%d%s".formatted(what, limit.capacity(), keep == 0 ? "" : " less " + keep + " for others");
        }
    }

    private static double perMicro(Limit limit) {
        Rate rate = Objects.requireNonNull(limit.rate());
        return (double) rate.permits() / rate.perMicros();
    }

    /** The bound of token buckets: at most {@code burst + rate × t} in any span of length t. */
    static final class Flow extends IntervalBound {

        private double level;
        private double fastest;
        private double lastRate;
        private boolean lastWaits;
        private boolean otherRate;
        private long lastMicros = Long.MIN_VALUE;

        /** True if the bucket may drain at a rate that no step has shown. */
        private boolean unknownRate;

        @Override
        public void reset() {
            level = 0;
            lastMicros = Long.MIN_VALUE;
            unknownRate = true;
        }

        @Override
        public void seen(Limit limit, long nowMicros) {
            double rate = perMicro(limit);
            fastest = Math.max(fastest, rate);
            otherRate |= rate != lastRate;
            if (otherRate && lastMicros != Long.MIN_VALUE) {
                // A refusal at another rate makes the store write down the refilled permits and its time, even if its
                // time stepped back before or does so afterwards.
                level = Math.max(0, level - fastest * Math.max(0, nowMicros - lastMicros));
                lastMicros = nowMicros;
            }
        }

        @Override
        @Nullable
        String add(Admission admission) {
            Limit limit = admission.limit();
            double rate = perMicro(limit);
            seen(limit, admission.nowMicros());
            long slot = admission.nowMicros() + admission.waitMicros();
            if (lastWaits && (rate != lastRate || fastest != lastRate)) {
                reset(); // the slots were assigned at another rate
            }
            if (lastMicros != Long.MIN_VALUE) {
                level = aged(slot);
            }
            level += admission.permits();
            lastMicros = slot;
            lastWaits = admission.waitMicros() > 0;
            lastRate = rate;
            fastest = rate;
            otherRate = false;
            String wrong = judge(admission, level);
            if (wrong != null) {
                reset();
            }
            return wrong;
        }

        private static @Nullable String judge(Admission admission, double level) {
            return level > admission.room() + 1e-3 + level * 1e-9
                    ? "%.3f more permits admitted than refilled since (expected: %s)"
                            .formatted(level, admission.allowed("the burst, "))
                    : null;
        }

        @Override
        @Nullable
        String pass(Admission admission) {
            seen(admission.limit(), admission.nowMicros());
            boolean known = lastMicros != Long.MIN_VALUE && !lastWaits;
            return known ? judge(admission, aged(admission.nowMicros())) : null;
        }

        private double aged(long nowMicros) {
            return Math.max(0, level - fastest * Math.max(0, nowMicros - lastMicros));
        }

        @Override
        void charged(Settlement settlement, long permits, long nowMicros) {
            seen(settlement.limit(), nowMicros);
            ageTo(nowMicros);
            if (lastMicros == Long.MIN_VALUE && unknownRate) {
                return;
            }
            if (level == 0) {
                // The store forgot the full bucket and its time, even if that time was ahead.
                lastMicros = nowMicros;
            }
            level += permits;
        }

        /** A refund makes the store write down the refilled permits, even if time then steps back. */
        @Override
        void giveBack(Limit limit, long permits, long chargedAtMicros, long nowMicros) {
            ageTo(nowMicros);
            level = Math.max(0, level - permits);
        }

        private void ageTo(long nowMicros) {
            if (lastMicros != Long.MIN_VALUE && nowMicros >= lastMicros) {
                level = aged(nowMicros);
                lastMicros = nowMicros;
            }
        }
    }

    /** The bound of leaky buckets: the slot of each request comes after all requests before it have drained. */
    static final class Slots extends IntervalBound {

        private double level;
        private double rate = -1;
        private long lastMicros = Long.MIN_VALUE;

        @Override
        public void reset() {
            level = 0;
            lastMicros = Long.MIN_VALUE;
        }

        @Override
        public void seen(Limit limit, long nowMicros) {
            double now = perMicro(limit);
            if (now != rate) {
                reset();
            }
            rate = now;
        }

        @Override
        @Nullable
        String add(Admission admission) {
            seen(admission.limit(), admission.nowMicros());
            long slot = admission.nowMicros() + admission.waitMicros();
            if (lastMicros != Long.MIN_VALUE) {
                level = Math.max(0, level - rate * Math.max(0, slot - lastMicros));
            }
            double ahead = level;
            level += admission.permits();
            lastMicros = slot;
            if (ahead > 1e-3 + rate + ahead * 1e-9) {
                reset();
                return "a slot %.3f permits before its time (expected: when all before it have drained)"
                        .formatted(ahead);
            }
            return null;
        }

        @Override
        void giveBack(Limit limit, long permits, long chargedAtMicros, long nowMicros) {
            level = Math.max(0, level - permits);
        }
    }

    /** The bound of fixed windows: at most the limit in each window. */
    static final class Window extends IntervalBound {

        private final Map<Long, Long> admitted = new HashMap<>();

        @Override
        public void reset() {
            admitted.clear();
        }

        @Override
        @Nullable
        String add(Admission admission) {
            long start = start(admission.limit(), admission.chargedAtMicros());
            String wrong = judge(admission, start, add(start, admission.permits()));
            if (wrong != null) {
                reset();
            }
            return wrong;
        }

        @Override
        @Nullable
        String pass(Admission admission) {
            long start = start(admission.limit(), admission.chargedAtMicros());
            return judge(admission, start, admitted.getOrDefault(start, 0L));
        }

        private static @Nullable String judge(Admission admission, long start, long sum) {
            return sum > admission.room()
                    ? "%d admitted in the window from %d (expected: %s)".formatted(sum, start, admission.allowed(""))
                    : null;
        }

        @Override
        void charged(Settlement settlement, long permits, long nowMicros) {
            long unused = add(start(settlement.limit(), nowMicros), permits);
        }

        private long add(long start, long permits) {
            if (admitted.size() > 1_000) {
                admitted.keySet().removeIf(old -> old < start);
            }
            return admitted.merge(start, permits, Long::sum);
        }

        private static long start(Limit limit, long micros) {
            return Objects.requireNonNull(limit.windows()).at(micros).startMicros();
        }

        @Override
        void giveBack(Limit limit, long permits, long chargedAtMicros, long nowMicros) {
            admitted.computeIfPresent(start(limit, chargedAtMicros), (s, sum) -> Math.max(0, sum - permits));
            // A refund makes the store forget windows that have ended, and a window that it empties, even if time then
            // steps back.
            long present = start(limit, nowMicros);
            long newest = admitted.keySet().stream().mapToLong(s -> s).reduce(present, Math::max);
            admitted.keySet().removeIf(old -> old < newest);
            admitted.values().removeIf(sum -> sum == 0);
        }
    }

    /** The bound of concurrency permits: at most the limit held at the same time. */
    static final class Held extends IntervalBound {

        private record Permit(String holder, long permits, long untilMicros) {}

        private final Map<String, Permit> holders = new HashMap<>();
        private final PriorityQueue<Permit> byEnd = new PriorityQueue<>(Comparator.comparingLong(Permit::untilMicros));
        private long held;
        private long lastMicros = Long.MIN_VALUE;
        private long ttlMicros;

        @Override
        public void reset() {
            holders.clear();
            byEnd.clear();
            held = 0;
        }

        @Override
        @Nullable
        String add(Admission admission) {
            Limit limit = admission.limit();
            passTo(admission.nowMicros(), limit);
            let(admission.holder());
            hold(new Permit(admission.holder(), admission.permits(), admission.nowMicros() + limit.windowMicros()));
            if (held > admission.room()) {
                String wrong = "%d held at once (expected: %s)".formatted(held, admission.allowed(""));
                reset();
                return wrong;
            }
            return null;
        }

        @Override
        public void seen(Limit limit, long nowMicros) {
            passTo(nowMicros, limit);
        }

        @Override
        public void givenBack(Charge charge, long nowMicros) {
            passTo(nowMicros, charge.limit());
            let(charge.holder());
        }

        @Override
        public void renewed(Charge charge, long nowMicros) {
            passTo(nowMicros, charge.limit());
            let(charge.holder());
            hold(new Permit(
                    charge.holder(),
                    charge.permits(),
                    nowMicros + charge.limit().windowMicros()));
        }

        private void passTo(long nowMicros, Limit limit) {
            if (nowMicros < lastMicros || limit.windowMicros() < ttlMicros) {
                // The store may let permits expire sooner now.
                long latest = nowMicros + limit.windowMicros();
                Map<String, Permit> before = Map.copyOf(holders);
                reset();
                before.values()
                        .forEach(permit ->
                                hold(new Permit(permit.holder, permit.permits, Math.min(permit.untilMicros, latest))));
            }
            lastMicros = nowMicros;
            ttlMicros = limit.windowMicros();
            while (!byEnd.isEmpty() && byEnd.peek().untilMicros <= nowMicros) {
                Permit ended = byEnd.remove();
                if (holders.remove(ended.holder, ended)) {
                    held -= ended.permits;
                }
            }
        }

        private void hold(Permit permit) {
            holders.put(permit.holder, permit);
            byEnd.add(permit);
            held += permit.permits;
        }

        private void let(String holder) {
            Permit gone = holders.remove(holder);
            if (gone != null) {
                held -= gone.permits;
            }
        }
    }
}
