package io.sluice.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What Java threads have used so far. Unlike the CPU time of the process, it is known in nanoseconds, and it leaves out the compiler and
 * the collector. What the collector has to do shows in the bytes.
 *
 * @param micros CPU time
 * @param bytes bytes that the threads allocated
 */
record ThreadUse(double micros, double bytes) {

    static final ThreadUse NOTHING = new ThreadUse(0, 0);

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Returns what all threads have used that live now. */
    static ThreadUse ofAll() {
        ThreadUse sum = NOTHING;
        for (long id : THREADS.getAllThreadIds()) {
            sum = sum.plus(of(id));
        }
        return sum;
    }

    static ThreadUse ofThisThread() {
        return of(Thread.currentThread().getId());
    }

    /** A thread that has ended meanwhile has used nothing. */
    private static ThreadUse of(long id) {
        return new ThreadUse(
                Math.max(0, THREADS.getThreadCpuTime(id)) / 1e3, Math.max(0, THREADS.getThreadAllocatedBytes(id)));
    }

    ThreadUse plus(ThreadUse other) {
        return new ThreadUse(micros + other.micros, bytes + other.bytes);
    }

    ThreadUse minus(ThreadUse other) {
        return new ThreadUse(micros - other.micros, bytes - other.bytes);
    }
}
