package io.sluice.center.verdict;

/**
 * The counts of a node since it started, or since it received both versions.
 *
 * @param start a mark that changes whenever the node starts to count from zero
 * @param trial the counts on trial; without groups if the node has not counted this arm
 * @param control the counts of the control; without groups if the node has not counted this arm
 */
public record NodeCount(String node, String start, Arm trial, Arm control) {

    boolean complete() {
        return !trial.clusters().isEmpty()
                && trial.clusters().size() == control.clusters().size();
    }

    boolean continues(NodeCount earlier) {
        return start.equals(earlier.start) && trial.continues(earlier.trial) && control.continues(earlier.control);
    }

    Sample since(NodeCount earlier) {
        return new Sample(trial.minus(earlier.trial), control.minus(earlier.control));
    }
}
