package io.sluice.core.spi;

import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Failures of callbacks that users have supplied. A failure is counted, and logged once a minute at most; it never reaches the code that
 * called back. Thread-safe.
 *
 * <pre>{@code
 * try {
 *     listener.decided(decision);
 * } catch (Throwable e) {
 *     failures.add(e);
 * }
 * }</pre>
 */
public final class CallbackFailures {

    private static final long LOGGED_EVERY_NANOS = 60_000_000_000L;

    private final String what;
    private final System.Logger log;
    private final AtomicLong count = new AtomicLong();

    /** The time from which the next failure may be logged; 0 before the first failure. */
    private final AtomicLong nextNanos = new AtomicLong();

    /**
     * Creates a counter without failures.
     *
     * @param what the callback, as logs name it, such as {@code a store listener}
     */
    public CallbackFailures(String what, Class<?> caller) {
        this.what = what;
        this.log = System.getLogger(caller.getName());
    }

    /** Notes a failure. Rethrows it only if the JVM itself is out of memory or broken. */
    public void add(Throwable failure) {
        rethrowIfBroken(failure);
        long failures = count.incrementAndGet();
        long now = Clock.system().nanoTime();
        long next = nextNanos.get();
        if ((failures == 1 || now - next >= 0) && nextNanos.compareAndSet(next, now + LOGGED_EVERY_NANOS)) {
            log.log(
                    Level.WARNING,
                    what + " failed (" + failures + " times so far); decisions are not affected",
                    failure);
        }
    }

    /** Rethrows a failure if the JVM itself is out of memory or broken. */
    public static void rethrowIfBroken(Throwable failure) {
        if (failure instanceof VirtualMachineError broken && !(failure instanceof StackOverflowError)) {
            throw broken;
        }
    }

    /** Returns the number of failures so far. */
    public long count() {
        return count.get();
    }
}
