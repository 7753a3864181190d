package io.sluice.center.data;

import io.sluice.runtime.data.DataBatch.Kind;

/**
 * A batch of data that a node sent.
 *
 * @param position the position in the journal; rises with each batch, even after a restart
 * @param node the id of the node
 * @param startedMillis the start time of the node; together with the node and the number, it identifies the batch
 * @param number the number of the batch
 * @param shiftMillis the time to add to the times in the batch, because the clock of the node differs
 * @param content the data; must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // written once, read once
public record StoredBatch(
        long position, String node, long startedMillis, long number, Kind kind, long shiftMillis, byte[] content) {}
