package io.sluice.core;

/**
 * Is told of every decision, on the thread that made it: for metrics, logs, recorders. Must be quick and must not throw; one
 * that throws is reported once to the log and changes no decision.
 */
@FunctionalInterface
public interface DecisionListener {

    /**
     * A decision was made.
     *
     * @param elapsedNanos from the question to the answer; for one who waited, the whole wait
     */
    void decided(Decision decision, long elapsedNanos);
}
