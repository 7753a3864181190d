package io.sluice.rules.evaluate;

/**
 * Is told of every ruling, on the thread that made it: for metrics. One request is one ruling, however many engines had to
 * be asked. Must be quick and must not throw.
 */
@FunctionalInterface
public interface RulingListener {

    /**
     * A request is about to be ruled on, on the thread that asks; the result is told what becomes of it. For listeners that have to know
     * when and under what circumstances it began. Of a request that is not ruled on, because it could never be, nobody hears.
     */
    default RulingListener begun() {
        return this;
    }

    /**
     * A request was ruled on.
     *
     * @param elapsedNanos from the question to the answer
     */
    void ruled(Ruling.Settled ruling, long elapsedNanos);

    /** What {@linkplain #begun began} was not ruled on: whoever waited for it left. */
    default void abandoned() {}
}
