package io.sluice.rules;

/**
 * Is told of every ruling, on the thread that made it: for metrics. One request is one ruling, however many engines had to
 * be asked. Must be quick and must not throw.
 */
@FunctionalInterface
public interface RulingListener {

    /**
     * A request was ruled on.
     *
     * @param elapsedNanos from the question to the answer
     */
    void ruled(Ruling.Settled ruling, long elapsedNanos);
}
