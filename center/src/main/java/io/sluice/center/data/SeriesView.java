package io.sluice.center.data;

import io.sluice.runtime.data.Figures;
import java.util.Map;

/** The traffic counts of the last hour, by the second. Thread-safe. */
public interface SeriesView {

    /** Returns the counts of the whole fleet from one second until before another, in seconds since 1970. */
    Figures fleet(long from, long until);

    /** Returns the same counts by rule. Requests that no rule matched have the empty name. */
    Map<String, Figures> rules(long from, long until);

    /** Returns the same counts by the id of the node. */
    Map<String, Figures> nodes(long from, long until);
}
