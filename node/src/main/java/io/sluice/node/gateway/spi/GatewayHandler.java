package io.sluice.node.gateway.spi;

import java.util.concurrent.CompletionStage;

/**
 * A step of every request through the gateway. Called by many event loops at the same time, so it must be thread-safe and must not block.
 *
 * <p>The handlers of a phase run in the order of {@link #order()}. Adjacent handlers that may run in {@linkplain #parallel() parallel}
 * are started together. If a handler or its stage fails, the answer is 500, so that no request passes by mistake.
 */
public interface GatewayHandler {

    /** Returns the name in logs. */
    default String name() {
        return getClass().getSimpleName();
    }

    Phase phase();

    /** Returns the position in the phase: smaller numbers come first, equal numbers in any order. */
    default int order() {
        return 0;
    }

    /** Returns whether the handler may run in parallel with adjacent handlers of its phase that also allow it. */
    default boolean parallel() {
        return false;
    }

    /** Returns whether the refusal of this handler is sent immediately. Otherwise the rest of the phase runs first. */
    default boolean failFast() {
        return true;
    }

    /** Examines the call, may change it, and decides whether it continues. */
    CompletionStage<Verdict> handle(GatewayCall call);
}
