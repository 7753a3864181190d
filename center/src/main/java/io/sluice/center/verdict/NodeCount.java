package io.sluice.center.verdict;

/**
 * What a node has counted since it started, or since it has both versions.
 *
 * @param start changes whenever the node begins to count from zero
 * @param trial without groups if the node has not counted this arm
 * @param control without groups if the node has not counted this arm
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
