package io.sluice.node.gateway.proxy;

import io.sluice.node.gateway.exchange.GatewayExchange;

/** Sends requests on and their answers back. One for each event loop, for its thread alone. */
public interface Forwarder {

    /**
     * Sends a request to an upstream of its route and streams the answer back, whatever becomes of it: 502 to 504 with a problem
     * body if there is none. The request is paused, its body possibly {@linkplain io.sluice.node.gateway.exchange.IncomingBody#kept() read in part}.
     *
     * @param after is asked when the head of the answer is here, and may answer instead
     */
    void forward(GatewayExchange exchange, AnswerStep after);

    /** What happens between the head of an upstream's answer and its way back. */
    @FunctionalInterface
    interface AnswerStep {

        /** Goes on with {@code then}, at once or later on the same event loop; or answers by itself and never does. */
        void answered(GatewayExchange exchange, int status, Runnable then);
    }
}
