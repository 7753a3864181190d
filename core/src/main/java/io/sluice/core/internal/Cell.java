package io.sluice.core.internal;

import io.sluice.core.algorithm.Count;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One count and its lock. Whoever needs several locks takes them in the order of {@link #order}. The count and {@link #dead} may
 * be touched only while the lock is held.
 */
final class Cell {

    final ReentrantLock lock = new ReentrantLock();
    final long order;
    final Count count;

    /** Swept away: whoever finds it so looks the count up again. */
    boolean dead;

    Cell(long order, Count count) {
        this.order = order;
        this.count = count;
    }
}
