package io.sluice.runtime.fleet;

import java.util.List;

/** A part of a process that says something in each report and hears each answer. Calls come from one thread. */
public interface FleetPart {

    /** Returns the report with what this part says. */
    NodeReport addTo(NodeReport report);

    /** Hears what the center answered. */
    void heard(Fleet fleet);

    /** Called once when the process stops, before the last report. */
    default void closing() {}

    /** Returns whether the center still has to get something. Then a process that stops sends a last report. */
    default boolean hasMore() {
        return false;
    }

    /** Returns the problems that this part knows, as sentences. May be called by any thread. */
    List<String> findings();
}
