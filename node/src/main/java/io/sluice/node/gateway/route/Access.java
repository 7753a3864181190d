package io.sluice.node.gateway.route;

/** Whether a route authenticates callers, from the most open to the strictest. */
public enum Access {
    /** Callers are not authenticated, and credentials are ignored. */
    OPEN,
    /** Credentials are verified if there are any, and bad ones are refused. Without credentials, the caller is anonymous. */
    OPTIONAL,
    /** A caller that cannot be authenticated is refused. */
    REQUIRED
}
