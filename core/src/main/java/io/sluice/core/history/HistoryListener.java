package io.sluice.core.history;

/**
 * Receives all events of this process, to check its history. Called on the thread that caused the event or that reads from the
 * store, before the caller gets the answer, so it must be fast ({@link HistoryQueue} is). Called by many threads.
 */
@FunctionalInterface
public interface HistoryListener {

    void happened(HistoryEvent event);
}
