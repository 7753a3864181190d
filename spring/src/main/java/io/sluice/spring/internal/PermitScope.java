package io.sluice.spring.internal;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds concurrency permits until it is closed. It renews them in the meantime and releases each one once. A permit that is added after the
 * scope was closed is released immediately. Thread-safe; never blocks.
 *
 * <p>A scope that is never closed does not hold its permits forever. The timers do not keep it reachable; once it is garbage
 * collected, its permits are no longer renewed and expire.
 */
public final class PermitScope implements AutoCloseable {

    private static final int RENEWALS_IN_TTL = 3;

    private final Evaluator evaluator;
    private final Clock clock;
    private final List<Held> held = new ArrayList<>(1);
    private boolean closed;

    public PermitScope(Evaluator evaluator, Clock clock) {
        this.evaluator = evaluator;
        this.clock = clock;
    }

    /** Holds a permit; does nothing if it is null. */
    public void hold(@Nullable Permit permit) {
        if (permit == null) {
            return;
        }
        Held one = new Held(permit, evaluator, clock);
        synchronized (this) {
            if (!closed) {
                held.add(one);
                one.renewLater();
                return;
            }
        }
        one.release();
    }

    @Override
    public void close() {
        end().forEach(Held::release);
    }

    /** Closes the scope without releasing its permits. The caller releases them in another way. */
    public void forget() {
        end().forEach(Held::stop);
    }

    private synchronized List<Held> end() {
        closed = true;
        List<Held> all = List.copyOf(held);
        held.clear();
        return all;
    }

    private static final class Held {

        private final Permit permit;
        private final Evaluator evaluator;
        private final Clock clock;
        private final long everyNanos;
        private Clock.@Nullable Alarm alarm;
        private boolean released;

        Held(Permit permit, Evaluator evaluator, Clock clock) {
            this.permit = permit;
            this.evaluator = evaluator;
            this.clock = clock;
            this.everyNanos = Math.max(1_000_000, permit.ttl().toNanos() / RENEWALS_IN_TTL);
        }

        synchronized void renewLater() {
            if (!released) {
                WeakReference<Held> self = new WeakReference<>(this);
                alarm = clock.at(clock.nanoTime() + everyNanos, () -> renew(self));
            }
        }

        private static void renew(WeakReference<Held> self) {
            Held held = self.get();
            if (held != null) {
                held.renew();
            }
        }

        private void renew() {
            evaluator.renew(permit).whenComplete((still, unheard) -> renewLater());
        }

        synchronized void stop() {
            released = true;
            if (alarm != null) {
                alarm.cancel();
            }
        }

        void release() {
            stop();
            evaluator.release(permit).exceptionally(unheard -> false);
        }
    }
}
