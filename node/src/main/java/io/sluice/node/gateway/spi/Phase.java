package io.sluice.node.gateway.spi;

/** The phases of a request through the gateway, in order. Forwarding lies between the last two. */
public enum Phase {
    /** The request is well-formed, early rules allow it, and it has a route; the caller is still unknown. */
    PARSED,
    /** The caller is verified or anonymous. The gateway's own handlers come first. */
    AUTHENTICATED,
    /** All limits allow the request. */
    BEFORE,
    /** The head of the upstream's answer has arrived and is not sent yet. */
    AFTER
}
