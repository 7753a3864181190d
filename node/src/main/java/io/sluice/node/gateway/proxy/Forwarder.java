package io.sluice.node.gateway.proxy;

import io.sluice.node.gateway.exchange.GatewayExchange;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** Forwards requests and sends their answers back. Each event loop has its own forwarder and is the only thread to use it. */
public interface Forwarder {

    /**
     * Forwards a request to an upstream of its route and streams the answer back. If there is no answer, the caller receives a
     * problem with status 502 to 504. The request is paused, and its body may have been
     * {@linkplain io.sluice.node.gateway.exchange.IncomingBody#kept() read in part}.
     *
     * @param after called when the head of the answer has arrived; may answer instead
     */
    void forward(GatewayExchange exchange, AnswerStep after);

    /** A step between the arrival of an upstream's head and sending it to the caller. */
    @FunctionalInterface
    interface AnswerStep {

        /** Continues with {@code then}, immediately or later on the same event loop; or answers itself and never calls it. */
        void answered(GatewayExchange exchange, int status, Runnable then);

        /** Called when the request is sent to an upstream. */
        default void sent(GatewayExchange exchange) {}

        /** Called after {@link #sent} if that upstream has not seen the request, so that it may be sent to another one. */
        default void unseen(GatewayExchange exchange) {}

        /**
         * Called once, before {@link #answered}: when the head of an answer has arrived, or when it is clear that there will be
         * none. Not called if the caller disconnected before, or if its request cannot be forwarded.
         *
         * @param status the status of the upstream's answer; 0 if there is none
         */
        default void heard(GatewayExchange exchange, int status) {}

        /**
         * Called when the answer of the upstream is about to be sent to the caller.
         *
         * @param headers the headers of the upstream's answer
         * @return the watch of the body; null if there is none
         */
        default @Nullable AnswerWatch watch(GatewayExchange exchange, int status, MultiMap headers) {
            return null;
        }
    }

    /** Watches the body of an answer while it passes. Called on the event loop, before a piece is sent; must not block. */
    interface AnswerWatch {

        void piece(Buffer piece);

        /** Called when all of the body has arrived. Not called for an answer that breaks off. */
        void complete();
    }
}
