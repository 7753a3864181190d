package io.sluice.http.request;

/**
 * A request is answered with a problem instead of being served: it can be read in two ways, or not at all. Carries no stack trace:
 * callers can make these at will.
 */
public final class RefusedRequestException extends Exception {

    private static final long serialVersionUID = 1;

    private final int status;

    /** @param detail our own words; what the caller sent at most in an escaped form */
    public RefusedRequestException(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    /** One that is answered 400. */
    public static RefusedRequestException bad(String detail) {
        return new RefusedRequestException(400, detail);
    }

    public int status() {
        return status;
    }

    /** In our own words. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
