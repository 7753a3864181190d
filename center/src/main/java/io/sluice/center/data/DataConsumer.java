package io.sluice.center.data;

import io.sluice.runtime.data.DataBatch.Kind;

/**
 * Keeps data of one kind. Calls are serialized, but come from several threads.
 *
 * <p>A consumer holds the newest data in memory and writes it to files or the database later, on its own schedule. After a restart it
 * receives all batches again that it had not written, and possibly some that it had. The data that it writes must therefore include the
 * position of the journal up to which the data is complete, and the consumer ignores batches up to that position.
 */
public interface DataConsumer {

    /** Returns the kind of data that the consumer keeps. */
    Kind kind();

    /**
     * Takes a batch. Must be fast.
     *
     * @throws IllegalArgumentException if the content cannot be read; the batch is then counted as damaged and never delivered again
     */
    void take(StoredBatch batch);

    /**
     * Writes the data that is due. Called about once a second, after the batches of the journal were replayed.
     *
     * @param nowMillis the current time in milliseconds since 1970
     */
    void turn(long nowMillis);

    /** Writes all data in memory. Called when the center stops. */
    void close();

    /** Returns the lowest position of a batch that the consumer has taken and not written; {@link Long#MAX_VALUE} if there is none. */
    long needsFrom();
}
