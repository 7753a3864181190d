package io.sluice.core.time;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Turns a {@link Wheel} by the system's clock, and sleeps while no alarm is due. */
final class WheelThread {

    private static final long AWAKE = Long.MIN_VALUE;

    private final LongSupplier nanoTime;
    private final LongConsumer sleep;
    private final Wheel wheel;
    private final Thread thread = new Thread(this::turn, "sluice-deadlines");

    /** The tick until which the thread sleeps. */
    private volatile long sleepsUntil = AWAKE;

    WheelThread() {
        this(System::nanoTime, nanos -> LockSupport.parkNanos(WheelThread.class, nanos));
    }

    /**
     * Turns the wheel by another clock; only tests use this.
     *
     * @param sleep sleeps for the given nanoseconds, or until the thread is unparked
     */
    WheelThread(LongSupplier nanoTime, LongConsumer sleep) {
        this.nanoTime = nanoTime;
        this.sleep = sleep;
        this.wheel = new Wheel(nanoTime.getAsLong());
        thread.setDaemon(true);
        thread.start();
    }

    Clock.Alarm at(long atNanos, Runnable task) {
        return atNanos - nanoTime.getAsLong() <= Wheel.HORIZON_NANOS ? near(atNanos, task) : new Distant(atNanos, task);
    }

    private Clock.Alarm near(long atNanos, Runnable task) {
        Wheel.Set set = wheel.at(atNanos, task);
        if (sleepsUntil > set.tick()) {
            LockSupport.unpark(thread);
        }
        return set;
    }

    private void turn() {
        while (true) {
            wheel.turn(nanoTime.getAsLong());
            long tick = wheel.nextTick();
            sleepsUntil = tick;
            // A thread that set an alarm before this did not know that it had to wake this thread.
            if (wheel.nextTick() >= tick) {
                sleepUntil(tick);
            }
            sleepsUntil = AWAKE;
        }
    }

    private void sleepUntil(long tick) {
        if (tick == Wheel.NEVER) {
            LockSupport.park(this);
            return;
        }
        long nanos = (tick << Wheel.TICK_BITS) - nanoTime.getAsLong();
        if (nanos > 0) {
            sleep.accept(nanos);
        }
    }

    /** An alarm beyond the horizon of the wheel. It is set again at each horizon until it is near. */
    private final class Distant implements Clock.Alarm {

        private final long atNanos;
        private final AtomicReference<@Nullable Runnable> todo;

        Distant(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.todo = new AtomicReference<>(task);
            approach();
        }

        private void approach() {
            if (todo.get() == null) {
                return;
            }
            long now = nanoTime.getAsLong();
            if (atNanos - now <= Wheel.HORIZON_NANOS) {
                near(atNanos, this::run);
            } else {
                near(now + Wheel.HORIZON_NANOS, this::approach);
            }
        }

        private void run() {
            Runnable task = todo.getAndSet(null);
            if (task != null) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            todo.set(null);
        }
    }
}
