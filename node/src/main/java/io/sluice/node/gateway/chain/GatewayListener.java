package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.route.Route;
import io.sluice.rules.evaluate.Ruling;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Is notified when a request has ended. Called by many event loops at the same time, so it must be thread-safe and must not block. */
@FunctionalInterface
public interface GatewayListener {

    /** The status if the caller disconnected before there was an answer. */
    int LEFT = 499;

    /** A listener that does nothing. */
    GatewayListener NONE = (route, status, nanos) -> {};

    /**
     * Called when a request has ended.
     *
     * @param route empty if no route matched
     * @param status the status of the answer, or {@link #LEFT}
     * @param nanos the time from the request's head to the end of its answer
     */
    void answered(Optional<Route> route, int status, long nanos);

    /**
     * Called when an upstream has answered, or when it is clear that it will not.
     *
     * @param ruling the ruling that let the request pass; null if no rule had to be asked
     * @param status the status of the upstream's answer; 0 if there is none
     * @param nanos the time from sending the request to the upstream; 0 if it was not sent
     */
    default void heard(Ruling.@Nullable Settled ruling, int status, long nanos) {}
}
