package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.route.Route;
import java.util.Optional;

/** Is told of every request when it is over. Called by many threads at once, on event loops: must not block. */
@FunctionalInterface
public interface GatewayListener {

    /** Of the status of callers who left before there was an answer. */
    int LEFT = 499;

    /** Nobody wants to know. */
    GatewayListener NONE = (route, status, nanos) -> {};

    /**
     * A request is over.
     *
     * @param route empty if it had none
     * @param status of the answer, or {@link #LEFT}
     * @param nanos from its head to the end of its answer
     */
    void answered(Optional<Route> route, int status, long nanos);
}
