package io.sluice.core.history;

/**
 * Hears of everything that this process did and had done, for checking histories. Called on the thread that did it or that reads
 * from the store, before whoever asked is told: it has to be short ({@link HistoryQueue} is). Called by many threads.
 */
@FunctionalInterface
public interface HistoryListener {

    void happened(HistoryEvent event);
}
