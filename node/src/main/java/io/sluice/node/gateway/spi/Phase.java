package io.sluice.node.gateway.spi;

/** The stations of a request through the gateway, in their order. Forwarding lies between the last two. */
public enum Phase {
    /** The request is well-formed and has a route; nobody knows yet who sent it. */
    PARSED,
    /** Who sent it is known, or it is known that nobody can tell. The gateway's own handlers come first. */
    AUTHENTICATED,
    /** All limits let it pass. */
    BEFORE,
    /** The head of the upstream's answer is here and not yet sent on. */
    AFTER
}
