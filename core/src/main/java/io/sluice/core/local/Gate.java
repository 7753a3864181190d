package io.sluice.core.local;

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
 * <p>The counts are those of the engine: whatever else asks for the same limit and key shares them. A gate holds nothing but
 * memory and goes on when the engine is closed.
 */
public interface Gate {

    /** Whether so many permits may pass at once, and not in a later time slot; charges them if so. */
    boolean tryPass(long permits);

    /** Decides with what is left and how long to wait; where the limit has later time slots, the wait for one of them. */
    Verdict pass(long permits);
}
