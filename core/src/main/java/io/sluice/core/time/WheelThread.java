package io.sluice.core.time;

import java.util.concurrent.locks.LockSupport;

/** Turns a {@link Wheel} by the system's clock; sleeps while nothing is due. */
final class WheelThread {

    private static final long AWAKE = Long.MIN_VALUE;

    private final Wheel wheel = new Wheel(System.nanoTime());
    private final Thread thread = new Thread(this::turn, "sluice-deadlines");

    /** Until which tick it sleeps. */
    private volatile long sleepsUntil = AWAKE;

    WheelThread() {
        thread.setDaemon(true);
        thread.start();
    }

    Clock.Alarm at(long atNanos, Runnable task) {
        Wheel.Set set = wheel.at(atNanos, task);
        if (sleepsUntil > set.tick()) {
            LockSupport.unpark(thread);
        }
        return set;
    }

    private void turn() {
        while (true) {
            wheel.turn(System.nanoTime());
            long tick = wheel.nextTick();
            sleepsUntil = tick;
            // Whoever set an alarm before that did not know that this thread would sleep.
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
        long nanos = (tick << Wheel.TICK_BITS) - System.nanoTime();
        if (nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
    }
}
