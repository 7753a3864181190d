package io.sluice.node.gateway.spi;

import java.util.concurrent.CompletionStage;

/**
 * A step of every request through the gateway. Called by many threads at once, on event loops: must not block.
 *
 * <p>Handlers of a phase go in the order of {@link #order()}; neighbours that may run in {@linkplain #parallel() parallel} are started
 * together. One that fails, or whose stage does, answers 500: nothing passes by mistake.
 */
public interface GatewayHandler {

    /** What it is called in logs. */
    default String name() {
        return getClass().getSimpleName();
    }

    Phase phase();

    /** The smaller comes first; equal ones in any order. */
    default int order() {
        return 0;
    }

    /** Whether it may run beside neighbours of its phase that may, too. */
    default boolean parallel() {
        return false;
    }

    /** Whether its refusal is the answer at once. Otherwise the rest of its phase is gone through before. */
    default boolean failFast() {
        return true;
    }

    /** Looks at the call, may change it, and says whether it goes on. */
    CompletionStage<Verdict> handle(GatewayCall call);
}
