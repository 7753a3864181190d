package io.sluice.node.gateway;

/** A request is answered with a problem instead of being sent on. Carries no stack trace: callers can make these at will. */
final class RefusedRequestException extends Exception {

    private static final long serialVersionUID = 1;

    private final int status;

    /** @param detail our own words; what the caller sent at most in an escaped form */
    RefusedRequestException(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    static RefusedRequestException bad(String detail) {
        return new RefusedRequestException(400, detail);
    }

    int status() {
        return status;
    }

    String detail() {
        return String.valueOf(getMessage());
    }
}
