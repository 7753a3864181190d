package io.sluice.redis.internal.recording;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.lease.LeaseListener;
import io.sluice.redis.internal.wire.RedisKeys;

/** Records the use of leases in a history. Thread-safe. */
public final class LeaseRecorder implements LeaseListener {

    private final HistoryListener history;
    private final RedisKeys names;
    private final Clock clock;

    public LeaseRecorder(HistoryListener history, RedisKeys names, Clock clock) {
        this.history = history;
        this.names = names;
        this.clock = clock;
    }

    @Override
    public Ask named(Ask ask) {
        return RecordingEngine.named(ask);
    }

    @Override
    public String count(Limit limit, String key) {
        return names.of(limit, key);
    }

    @Override
    public void spent(Ask ask, String count, String lease, long permits, long nowNanos, long endsNanos) {
        history.happened(new SpendEvent(
                ask.trace(),
                count,
                lease,
                permits,
                isOfOneDemand(ask),
                ask.ruleVersion(),
                nowNanos,
                endsNanos,
                clock.epochMicros()));
    }

    @Override
    public void unspent(
            String ask, Limit limit, String key, String lease, long permits, long nowNanos, long endsNanos) {
        String count = names.of(limit, key);
        history.happened(new UnspendEvent(ask, count, lease, permits, nowNanos, endsNanos, clock.epochMicros()));
    }

    @Override
    public void answered(Ask ask, EngineDecision decided) {
        if (decided.allowed() && isOfOneDemand(ask)) {
            return;
        }
        String refusing = RecordingEngine.refusing(ask, decided, names);
        history.happened(AnswerEvent.of(ask, decided, AnswerEvent.Source.LEASE, refusing, clock));
    }

    /** Returns whether the request has one demand, so that the spend event also serves as the answer. */
    private static boolean isOfOneDemand(Ask ask) {
        return ask.demands().size() == 1;
    }
}
