package io.sluice.node.gateway.route;

/** Whether a route asks who calls. */
public enum Access {
    /** Nobody is asked, and what a caller shows is not looked at. */
    OPEN,
    /** Who shows something has it verified; a bad token is refused, and without one the caller is anonymous. */
    OPTIONAL,
    /** Who cannot show who he is, is refused. */
    REQUIRED
}
