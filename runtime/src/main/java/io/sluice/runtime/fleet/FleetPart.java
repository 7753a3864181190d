package io.sluice.runtime.fleet;

import java.util.List;

/** A part of a process that adds to each report and receives each answer. Calls come from one thread. */
public interface FleetPart {

    /** Returns the report with the addition of this part. */
    NodeReport addTo(NodeReport report);

    /** Receives the center's answer. */
    void heard(Fleet fleet);

    /** Called once when the process stops, before the last report. */
    default void closing() {}

    /** Returns whether the center still lacks data of this part. If so, a process that stops sends a last report. */
    default boolean hasMore() {
        return false;
    }

    /** Returns the problems of this part, as sentences. May be called by any thread. */
    List<String> findings();
}
