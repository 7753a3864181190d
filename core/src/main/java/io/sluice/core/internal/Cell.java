package io.sluice.core.internal;

import io.sluice.core.Limit;
import io.sluice.core.SlidingLog;
import io.sluice.core.TokenBucket;
import io.sluice.core.algorithm.AdmissionLog;
import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.TokenBuckets;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One count and its lock. Whoever needs several locks takes them in the order of {@link #order}. Everything but the lock and
 * the order may be touched only while the lock is held; {@link #grant} comes first and the others go by what it found.
 */
abstract sealed class Cell {

    final ReentrantLock lock = new ReentrantLock();
    final long order;

    /** Swept away: whoever finds it so looks the count up again. */
    boolean dead;

    private Cell(long order) {
        this.order = order;
    }

    static Cell of(Limit limit, long order, long nowMicros) {
        if (limit instanceof TokenBucket bucket) {
            return new Bucket(order, bucket, nowMicros);
        }
        return new Log(order, (SlidingLog) limit, nowMicros);
    }

    /** What the demand would get now; 0 refuses. */
    abstract long grant(Demand demand, long nowMicros);

    /** What the demand is told. Comes before {@link #charge} or {@link #refuse}. */
    abstract Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros);

    /** Charges what {@link #grant} named. */
    abstract void charge(long granted);

    /** Notes that a demand that was meant to charge was refused, here or by another limit. */
    abstract void refuse();

    abstract void giveBack(Charge charge, long nowMicros);

    /** Whether forgetting the count would change no answer. */
    abstract boolean equalsNeverSeen(long nowMicros);

    private static final class Bucket extends Cell {

        private BucketState state;
        private BucketState aged;
        private TokenBucket limit;

        Bucket(long order, TokenBucket limit, long nowMicros) {
            super(order);
            this.limit = limit;
            this.state = BucketState.fresh(nowMicros);
            this.aged = state;
        }

        @Override
        long grant(Demand demand, long nowMicros) {
            limit = (TokenBucket) demand.limit();
            aged = TokenBuckets.at(limit, state, nowMicros);
            return TokenBuckets.grant(limit, aged, demand, nowMicros);
        }

        @Override
        void charge(long granted) {
            state = aged.plus(granted);
        }

        @Override
        void refuse() {
            state = TokenBuckets.refuse(state, aged);
        }

        @Override
        Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
            return TokenBuckets.verdict(limit, aged, demand, grant, charged, nowMicros);
        }

        @Override
        void giveBack(Charge charge, long nowMicros) {
            limit = (TokenBucket) charge.limit();
            aged = TokenBuckets.at(limit, state, nowMicros);
            state = TokenBuckets.giveBack(limit, aged, charge.permits(), charge.chargedAtMicros());
        }

        @Override
        boolean equalsNeverSeen(long nowMicros) {
            return TokenBuckets.at(limit, state, nowMicros).isUnused();
        }
    }

    private static final class Log extends Cell {

        private final AdmissionLog log = new AdmissionLog();
        private SlidingLog limit;
        private AdmissionLog.View view;

        Log(long order, SlidingLog limit, long nowMicros) {
            super(order);
            this.limit = limit;
            this.view = log.at(limit, nowMicros);
        }

        @Override
        long grant(Demand demand, long nowMicros) {
            limit = (SlidingLog) demand.limit();
            view = log.at(limit, nowMicros);
            return AdmissionLog.grant(limit, view, demand);
        }

        @Override
        Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
            return log.verdict(limit, view, demand, grant, charged, nowMicros);
        }

        @Override
        void charge(long granted) {
            log.charge(view, granted);
        }

        @Override
        void refuse() {
            log.refuse(view);
        }

        @Override
        void giveBack(Charge charge, long nowMicros) {
            log.giveBack(log.at(limit, nowMicros), charge.permits(), charge.chargedAtMicros());
        }

        @Override
        boolean equalsNeverSeen(long nowMicros) {
            return log.at(limit, nowMicros).used() == 0;
        }
    }
}
