package io.sluice.core;

/**
 * Receives every decision on the thread that made it, for metrics, logs and recorders. A listener must be fast and must not
 * throw. An exception is logged and has no effect on a decision.
 */
@FunctionalInterface
public interface DecisionListener {

    /**
     * Called after a decision was made.
     *
     * @param elapsedNanos the time from the question to the answer, including the whole wait of a caller that waited
     */
    void decided(Decision decision, long elapsedNanos);
}
