package io.sluice.node.gateway.route;

/** The authentication of a route's callers, from the most open to the strictest. */
public enum Access {
    /** Callers are not authenticated, and credentials are ignored. */
    OPEN,
    /** Credentials are verified if there are any, and bad ones are refused. Without credentials, the caller is anonymous. */
    OPTIONAL,
    /** A caller that cannot be authenticated is refused. */
    REQUIRED
}
