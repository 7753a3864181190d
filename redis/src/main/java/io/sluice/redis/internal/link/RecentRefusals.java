package io.sluice.redis.internal.link;

import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The counts that refused a request lately. A request over several slots that needs such a count looks first and is charged only if it
 * would pass. So a refused request rarely charges its other counts temporarily: other requests do not see such charges, and the reported
 * remaining permits do not include them. Forgetting an entry is always safe. Thread-safe.
 */
public final class RecentRefusals {

    private static final int MOST = 10_000;
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    /** The time until which each count is expected to refuse. */
    private final ConcurrentHashMap<String, Long> untilNanos = new ConcurrentHashMap<>();

    /** Returns whether one of the counts refused lately and is expected to do so again. */
    public boolean isExpected(String[] counts, long nowNanos) {
        if (untilNanos.isEmpty()) {
            return false;
        }
        for (String count : counts) {
            Long until = untilNanos.get(count);
            if (until != null && until - nowNanos > 0) {
                return true;
            }
        }
        return false;
    }

    /** Records a decision on these counts. */
    public void decided(String[] counts, EngineDecision decided, long nowNanos) {
        if (decided.allowed()) {
            if (!untilNanos.isEmpty()) {
                for (String count : counts) {
                    untilNanos.remove(count);
                }
            }
            return;
        }
        if (untilNanos.size() >= MOST) {
            untilNanos.clear();
        }
        List<Verdict> verdicts = decided.verdicts();
        for (int i = 0; i < counts.length; i++) {
            if (!verdicts.get(i).fits()) {
                untilNanos.put(counts[i], nowNanos + expectedNanos(verdicts.get(i)));
            }
        }
    }

    /** Forgets the counts whose names match. */
    public void forget(Predicate<String> counts) {
        untilNanos.keySet().removeIf(counts);
    }

    private static long expectedNanos(Verdict refused) {
        long micros = refused.retryAfterMicros();
        return micros == Verdict.NEVER ? LONGEST_NANOS : Math.min(TimeUnit.MICROSECONDS.toNanos(micros), LONGEST_NANOS);
    }
}
