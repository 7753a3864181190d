package io.sluice.runtime.decisions;

import java.util.List;

/** A destination of decisions. Calls come from one thread. Counts the decisions that it logs and drops. May block. */
interface DecisionPlace {

    /** Writes lines, each with its line end. Never throws because the place is unavailable: lines that cannot be written are dropped. */
    void write(List<byte[]> lines);

    /** Called roughly once a second. */
    default void tick() {}

    /** Stops, and waits a short time for lines that are on their way. */
    void close();
}
