package io.sluice.core;

import io.sluice.core.spi.CountKey;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The callers that wait for one count, in order of arrival. Part of {@link WaitQueues}, whose lock guards it. */
final class WaitQueue {

    final CountKey count;
    final TreeSet<Waiter<?>> waiters = new TreeSet<>(Comparator.comparingLong(waiter -> waiter.ticket));

    /** The waiter whose ask is in progress. It keeps its place until it is answered. */
    @Nullable
    Waiter<?> asking;

    /** True after a change: the first waiter must ask as soon as no other ask is in progress. */
    boolean askNow;

    /** The number of requests to serve this queue that are still to be handled; not guarded by the lock. */
    final AtomicInteger visits = new AtomicInteger();

    WaitQueue(CountKey count) {
        this.count = count;
    }

    boolean isFirst(Waiter<?> waiter) {
        return !waiters.isEmpty() && waiters.first() == waiter;
    }
}
