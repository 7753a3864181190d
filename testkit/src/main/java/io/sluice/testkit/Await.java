package io.sluice.testkit;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls for conditions in other processes, which send no notification. */
public final class Await {

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SELDOM_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** A long wait asks less often: the next pause is this part of the time waited so far, within bounds. */
    private static final int PART = 16;

    private Await() {}

    /** Waits for the condition and returns whether it became true in time. */
    public static boolean within(Duration atMost, BooleanSupplier condition) {
        return within(atMost, POLL_NANOS, SELDOM_NANOS, condition);
    }

    private static boolean within(Duration atMost, long shortest, long longest, BooleanSupplier condition) {
        long began = Clock.system().nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = Clock.system().nanoTime() - began;
            if (waited > atMost.toNanos()) {
                return false;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted");
            }
            LockSupport.parkNanos(Math.max(shortest, Math.min(longest, waited / PART)));
        }
        return true;
    }

    /** Waits for the condition. Fails with its name if it does not become true in time. */
    public static void until(String what, Duration atMost, BooleanSupplier condition) {
        if (!within(atMost, condition)) {
            throw new IllegalStateException(what + ": not within " + atMost.toMillis() + " ms");
        }
    }

    /** Waits for a condition that is expensive to check, such as a condition in a browser, and checks it less often. */
    public static void untilSeldom(String what, Duration atMost, BooleanSupplier condition) {
        if (!within(atMost, SELDOM_NANOS, 4 * SELDOM_NANOS, condition)) {
            throw new IllegalStateException(what + ": not within " + atMost.toMillis() + " ms");
        }
    }
}
