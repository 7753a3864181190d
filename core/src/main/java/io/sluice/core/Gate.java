package io.sluice.core;

import io.sluice.core.internal.LocalCounts;
import io.sluice.core.internal.Passage;
import io.sluice.core.spi.Verdict;

/**
 * A limit and a key in one process, for code that asks for them again and again: the shortest way to a decision. A token
 * bucket is decided by one clock read and one compare-and-set, a refusal by the clock read alone. Allocates nothing. Safe for use
 * by many threads.
 *
 * <pre>{@code
 * Gate gate = engine.gate(Limit.named("mail").tokenBucket(Rate.perSecond(100)), "smtp.example");
 * if (gate.tryPass(1)) {
 *     send(mail);
 * }
 * }</pre>
 *
 * <p>The counts are those of the engine: whatever else asks for the same limit and key shares them.
 */
public final class Gate {

    private final Passage passage;

    Gate(LocalCounts counts, Limit limit, String key) {
        this.passage = new Passage(counts, limit, key);
    }

    /** Whether so many permits may pass now; charges them if so. */
    public boolean tryPass(long permits) {
        return passage.tryPass(permits);
    }

    /** The same, with what is left and how long to wait. */
    public Verdict pass(long permits) {
        return passage.pass(permits);
    }
}
