package io.sluice.spring.method;

import io.sluice.core.time.Clock;
import io.sluice.core.time.Clock.Alarm;
import io.sluice.rules.Evaluator;
import io.sluice.rules.Permit;
import io.sluice.rules.Ruling;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a call holds of concurrency limits while it runs: renewed three times in its time to live, and given back once, when it is
 * closed first. Safe for use by many threads.
 */
final class Held implements AutoCloseable {

    private static final int RENEWALS_IN_TTL = 3;
    private static final Alarm NONE = () -> {};
    private static final Alarm CLOSED = () -> {};

    /** Of calls that hold nothing. */
    static final Held NOTHING = new Held();

    private final @Nullable Permit permit;
    private final @Nullable Evaluator evaluator;
    private final @Nullable Clock clock;
    private final long everyNanos;
    private final AtomicReference<Alarm> next = new AtomicReference<>(NONE);

    private Held() {
        this.permit = null;
        this.evaluator = null;
        this.clock = null;
        this.everyNanos = 0;
    }

    private Held(Permit permit, Evaluator evaluator, Clock clock) {
        this.permit = permit;
        this.evaluator = evaluator;
        this.clock = clock;
        this.everyNanos = Math.max(1_000_000, permit.ttl().toNanos() / RENEWALS_IN_TTL);
        arm(NONE);
    }

    static Held of(Ruling.Settled ruling, Evaluator evaluator, Clock clock) {
        Permit permit = ruling.permit();
        return permit == null ? NOTHING : new Held(permit, evaluator, clock);
    }

    @SuppressWarnings("NullAway") // only what has a permit is armed
    private void arm(Alarm last) {
        Alarm alarm = clock.at(clock.nanoTime() + everyNanos, this::renew);
        if (!next.compareAndSet(last, alarm)) {
            alarm.cancel();
        }
    }

    @SuppressWarnings("NullAway")
    private void renew() {
        Alarm last = next.get();
        if (last != CLOSED) {
            evaluator.renew(permit).exceptionally(unheard -> false);
            arm(last);
        }
    }

    @Override
    public void close() {
        if (permit == null || evaluator == null) {
            return;
        }
        Alarm last = next.getAndSet(CLOSED);
        if (last != CLOSED) {
            last.cancel();
            evaluator.release(permit).exceptionally(unheard -> false);
        }
    }
}
