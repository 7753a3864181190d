package io.sluice.runtime.fleet;

import java.util.List;

/** A part of a process that says something in each report and hears each answer. Calls come from one thread. */
public interface FleetPart {

    /** Returns the report with what this part says. */
    NodeReport addTo(NodeReport report);

    /** Hears what the center answered. */
    void heard(Fleet fleet);

    /** Returns the problems that this part knows, as sentences. May be called by any thread. */
    List<String> findings();
}
