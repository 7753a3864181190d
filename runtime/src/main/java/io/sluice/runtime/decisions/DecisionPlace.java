package io.sluice.runtime.decisions;

import java.util.List;

/** A place that decisions are written to. Calls come from one thread. Counts what it logs and drops. May block. */
interface DecisionPlace {

    /** Writes lines, each with its end. Never throws because the place is unavailable: lines that cannot be written are dropped. */
    void write(List<byte[]> lines);

    /** Called about once a second. */
    default void tick() {}

    /** Stops, and waits a short time for what is on the way. */
    void close();
}
