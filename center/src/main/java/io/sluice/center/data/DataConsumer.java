package io.sluice.center.data;

import io.sluice.runtime.data.DataBatch.Kind;

/**
 * Keeps data of one kind. Calls come one at a time, but from several threads.
 *
 * <p>A consumer holds the newest data in memory and writes it to files or the database later, in its own time. After a restart it gets
 * all batches again that it had not written, and maybe some that it had. So whatever it writes must also say up to which position of
 * the journal it is complete, and batches up to there are ignored.
 */
public interface DataConsumer {

    /** Returns what it keeps. */
    Kind kind();

    /**
     * Takes a batch. Must be fast.
     *
     * @throws IllegalArgumentException if the content cannot be read; then the batch is counted as damaged and never comes again
     */
    void take(StoredBatch batch);

    /**
     * Called about once a second, after the batches of the journal were replayed: writes what is due.
     *
     * @param nowMillis in milliseconds since 1970
     */
    void turn(long nowMillis);

    /** Writes everything that it holds in memory. Called when the center stops. */
    void close();

    /** Returns the lowest position of a batch that it has taken and not written; {@link Long#MAX_VALUE} if there is none. */
    long needsFrom();
}
