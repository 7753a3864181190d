package io.sluice.core;

import io.sluice.core.spi.CountKey;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Those who wait for one count, in the order in which they came. Part of {@link WaitQueues}, whose lock guards it. */
final class WaitQueue {

    final CountKey count;
    final TreeSet<Waiter<?>> waiters = new TreeSet<>(Comparator.comparingLong(waiter -> waiter.ticket));

    /** The one whose question is under way; it keeps its place until it is answered. */
    @Nullable
    Waiter<?> asking;

    /** Something has changed: the first is to ask, once nobody else does. */
    boolean askNow;

    /** How many times somebody came to let the first ask; not guarded. */
    final AtomicInteger visits = new AtomicInteger();

    WaitQueue(CountKey count) {
        this.count = count;
    }

    boolean isFirst(Waiter<?> waiter) {
        return !waiters.isEmpty() && waiters.first() == waiter;
    }
}
