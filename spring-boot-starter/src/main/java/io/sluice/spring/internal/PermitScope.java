package io.sluice.spring.internal;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds permits of concurrency limits until it is closed: renews them meanwhile, and gives each back once. What is added
 * after the end is given back at once. Safe for use by many threads; never blocks.
 *
 * <p>Who forgets to close it does not hold for ever: the timers do not keep it alive, so when nobody knows it any more, its
 * permits are not renewed, and their time to live takes them back.
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

    /** Holds a permit, if there is one. */
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

    /** Ends it without giving back what it holds: somebody else does. */
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
