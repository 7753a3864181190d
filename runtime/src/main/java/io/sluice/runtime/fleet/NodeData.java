package io.sluice.runtime.fleet;

import io.sluice.runtime.data.DataReport;
import java.util.Optional;

/**
 * The traffic of a process in numbers.
 *
 * @param tally the counts since the process started
 * @param trial the counts since callers started to try a version; empty if they try none
 * @param traffic data about its traffic; empty if it sends none
 */
public record NodeData(Tally tally, Optional<TrialReport> trial, Optional<DataReport> traffic) {

    /** The data of a process that has counted nothing. */
    public static final NodeData NONE = new NodeData(Tally.NONE, Optional.empty(), Optional.empty());

    /** Returns a copy with other data about the traffic. */
    public NodeData with(Optional<DataReport> data) {
        return new NodeData(tally, trial, data);
    }
}
