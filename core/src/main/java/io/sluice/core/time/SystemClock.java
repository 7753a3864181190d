package io.sluice.core.time;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The system's clocks. Two daemon threads run its alarms; each starts with its first alarm. One is for the deadlines of
 * decisions, which are set in hundreds of thousands and mostly cancelled. The other is for later alarms.
 */
enum SystemClock implements Clock {
    INSTANCE;

    /** The longest deadline of a decision. There are few later alarms, because they are hardly deadlines of decisions. */
    private static final long LONGEST_DEADLINE_NANOS = 60_000_000_000L;

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        long nanos = atNanos - nanoTime();
        if (nanos <= LONGEST_DEADLINE_NANOS) {
            return Deadlines.THREAD.at(atNanos, task);
        }
        Future<?> alarm = Alarms.THREAD.schedule(task, nanos, TimeUnit.NANOSECONDS);
        return () -> alarm.cancel(false);
    }

    private static final class Deadlines {

        static final WheelThread THREAD = new WheelThread();
    }

    private static final class Alarms {

        static final ScheduledThreadPoolExecutor THREAD = start();

        private static ScheduledThreadPoolExecutor start() {
            ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "sluice-alarms");
                thread.setDaemon(true);
                return thread;
            });
            executor.setRemoveOnCancelPolicy(true);
            return executor;
        }
    }
}
