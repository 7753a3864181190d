package io.sluice.core.local;

import io.sluice.core.algorithm.Count;
import io.sluice.core.algorithm.StepBack;
import io.sluice.core.algorithm.TokenBuckets;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One count in the table. Its word is a value from 0 up while it is free, {@link #LOCKED} while a thread works on it, and permanently
 * {@link #DEAD} once it has left the table.
 *
 * <p>Why there is a lock: a decision over several counts must change all or none of them, and an ask for one of them must not see a partial
 * change. The lock is held for a few instructions, on counts that were looked up before. A thread that waits for a lock holds only locks
 * that come before it in an order that is the same for all threads. A decision on a single {@link Bucket} does not take the lock: it is one
 * compare-and-set, and none if it is refused.
 */
abstract sealed class Cell {

    static final long LOCKED = -1;
    static final long DEAD = -2;

    /** The prefix of the keys of overflow cells, which are shared by keys that have no cell of their own. */
    static final String OVERFLOW = "#overflow:";

    private static final int SPINS = 64;
    private static final int FEWEST_SPINS = 32;
    private static final int MOST_SPINS = 256;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Cell.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final CountSeries series;
    final String key;
    private volatile long word;

    private Cell(CountSeries series, String key, long word) {
        this.series = series;
        this.key = key;
        this.word = word;
    }

    /** Returns the permits that the demand would get from a count whose word is {@code word}; 0 is a refusal. */
    abstract long grant(Demand demand, long word, long micros);

    /** Returns the verdict on the demand. Call it before {@link #charge} or {@link #refuse}. */
    abstract Verdict verdict(Demand demand, long word, long grant, boolean charged, long micros);

    /**
     * Returns the {@link #verdict} as callers see it. A charge on an overflow count is final, because it cannot be attributed
     * to a key later.
     */
    final Verdict finalVerdict(Demand demand, long word, long grant, boolean charged, long micros) {
        Verdict verdict = verdict(demand, word, grant, charged, micros);
        return charged && isOverflow() ? verdict.withoutReturn() : verdict;
    }

    /** Returns the word after the charge. */
    abstract long charge(Demand demand, long word, long grant, long micros);

    /** Returns the word after a refusal, by this or by another limit. */
    abstract long refuse(long word, long micros);

    /** Returns the word after giving back the part of a charge that still counts. */
    abstract long giveBack(Charge charge, long word, long micros);

    abstract boolean renew(Charge charge, long micros);

    /** Returns whether this charge holds permits here. */
    abstract boolean isHeld(Charge charge, long micros);

    abstract boolean isUnused(long word, long micros);

    /** Returns whether this cell is shared by keys that have no cell of their own. */
    final boolean isOverflow() {
        return key.startsWith(OVERFLOW);
    }

    final long word() {
        return word;
    }

    final boolean replaceWord(long expected, long next) {
        return WORD.compareAndSet(this, expected, next);
    }

    /** Takes the lock and returns the word, or returns {@link #DEAD}. */
    final long lock() {
        for (int spins = 0; ; spins++) {
            long seen = word;
            if (seen == DEAD || (seen >= 0 && WORD.compareAndSet(this, seen, LOCKED))) {
                return seen;
            }
            pause(spins);
        }
    }

    /** Takes the lock and returns the word if the lock is free; otherwise returns {@link #LOCKED} or {@link #DEAD}. */
    final long tryLock() {
        long seen = word;
        return seen < 0 ? seen : WORD.compareAndSet(this, seen, LOCKED) ? seen : LOCKED;
    }

    /** Releases the lock and sets a new word. */
    final void unlock(long next) {
        WORD.setRelease(this, next);
    }

    /**
     * Waits after another thread was faster, longer each time. A thread that tries again immediately takes the memory line away from the
     * thread that is about to succeed, and all threads then wait for it to come back.
     */
    private static void standBack(int attempts) {
        for (int spins = Math.min(MOST_SPINS, FEWEST_SPINS << Math.min(attempts, 3)); spins > 0; spins--) {
            Thread.onSpinWait();
        }
    }

    /** Waits briefly for the lock. Yields after some spins, because the holder may have lost the processor. */
    @SuppressWarnings("ThreadPriorityCheck") // it only affects how soon the holder continues
    static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    /** A token bucket whose numbers fit into a word. */
    static final class Bucket extends Cell {

        final PackedBucket packed;

        Bucket(CountSeries series, String key, PackedBucket packed, long word) {
            super(series, key, word);
            this.packed = packed;
        }

        /**
         * Charges the permits if they fit and {@code keep} remain. Returns the used amount before the charge, or {@link #LOCKED} or {@link
         * #DEAD}.
         *
         * <p>If another thread was faster, this thread keeps its time, which is a little early but never in the caller's favour.
         *
         * @param elapsedMicros the time since the start of the engine
         */
        long take(long permits, long keep, long elapsedMicros) {
            PackedBucket in = packed;
            long moment = in.momentAfter(elapsedMicros);
            long seen = word();
            for (int attempts = 0; seen >= 0; attempts++) {
                long used = PackedBucket.used(seen, moment);
                if (!in.fits(used, permits + keep) || replaceWord(seen, in.charged(seen, moment, permits))) {
                    return used;
                }
                standBack(attempts);
                seen = word();
            }
            return seen;
        }

        @Override
        long grant(Demand demand, long word, long micros) {
            if (packed.fits(PackedBucket.used(word, packed.moment(micros)), demand.permits() + demand.keep())) {
                return Count.all(demand);
            }
            if (demand.maxWaitMicros() == 0 && demand.atLeast() == demand.permits()) {
                return 0;
            }
            return TokenBuckets.grant(packed.limit, packed.state(word, micros), demand, micros);
        }

        @Override
        Verdict verdict(Demand demand, long word, long grant, boolean charged, long micros) {
            if (grant == 0 && demand.maxWaitMicros() > 0) {
                return TokenBuckets.verdict(packed.limit, packed.state(word, micros), demand, 0, false, micros);
            }
            long used = PackedBucket.used(word, packed.moment(micros));
            boolean kept = grant == 0 && demand.keep() > 0 && packed.fits(used, Math.max(1, demand.atLeast()));
            return packed.verdict(used, grant, demand.needed(), charged, micros, kept);
        }

        @Override
        long charge(Demand demand, long word, long grant, long micros) {
            return packed.charged(word, packed.moment(micros), grant);
        }

        @Override
        long refuse(long word, long micros) {
            return word;
        }

        @Override
        long giveBack(Charge charge, long word, long micros) {
            return packed.word(packed.state(word, micros).giveBack(charge.permits(), charge.chargedAtMicros(), micros));
        }

        @Override
        boolean renew(Charge charge, long micros) {
            return false;
        }

        @Override
        boolean isHeld(Charge charge, long micros) {
            return false;
        }

        @Override
        boolean isUnused(long word, long micros) {
            return word <= packed.moment(micros);
        }
    }

    /** Any other count. Its word only shows that it is free. */
    static final class Other extends Cell {

        final Count count;

        Other(CountSeries series, String key, Count count) {
            super(series, key, 0);
            this.count = count;
        }

        @Override
        long grant(Demand demand, long word, long micros) {
            return count.grant(demand, micros);
        }

        @Override
        Verdict verdict(Demand demand, long word, long grant, boolean charged, long micros) {
            return count.verdict(demand, grant, charged, micros);
        }

        @Override
        long charge(Demand demand, long word, long grant, long micros) {
            count.charge(demand, grant, micros);
            return word;
        }

        @Override
        long refuse(long word, long micros) {
            count.refuse(micros);
            return word;
        }

        @Override
        long giveBack(Charge charge, long word, long micros) {
            count.giveBack(charge, micros);
            return word;
        }

        @Override
        boolean renew(Charge charge, long micros) {
            return count.renew(charge, micros);
        }

        @Override
        boolean isHeld(Charge charge, long micros) {
            return count.isHeld(charge.holder(), micros);
        }

        @Override
        boolean isUnused(long word, long micros) {
            // Time may still step back by as much as counts wait for it to catch up.
            return count.isUnused(micros - StepBack.CLAMPED_MICROS);
        }
    }
}
