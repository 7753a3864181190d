package io.sluice.runtime.decisions;

import java.util.concurrent.atomic.AtomicLong;

/** Grants a maximum number of requests in each second. Thread-safe. If nothing is left, a request costs one read. */
final class SecondBudget {

    private static final int COUNT_BITS = 20;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    private final int most;

    /** The second, and the number of grants in it. */
    private final AtomicLong granted = new AtomicLong();

    SecondBudget(int most) {
        if (most < 0 || most > COUNT_MASK) {
            throw new IllegalArgumentException("most: " + most + " (expected: 0.." + COUNT_MASK + ")");
        }
        this.most = most;
    }

    boolean take(long second) {
        while (true) {
            long before = granted.get();
            boolean same = before >> COUNT_BITS == second;
            if ((same ? before & COUNT_MASK : 0) >= most) {
                return false;
            }
            if (granted.compareAndSet(before, same ? before + 1 : (second << COUNT_BITS) + 1)) {
                return true;
            }
        }
    }
}
