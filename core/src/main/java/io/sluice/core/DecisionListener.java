package io.sluice.core;

/**
 * Receives every decision, on the thread that made it: for metrics, logs and recorders. A listener must be quick and must not
 * throw. An exception is logged and changes no decision.
 */
@FunctionalInterface
public interface DecisionListener {

    /**
     * Called after a decision was made.
     *
     * @param elapsedNanos the time from the question to the answer; for a caller that waited, the whole wait
     */
    void decided(Decision decision, long elapsedNanos);
}
