package io.sluice.http.request;

/**
 * Refuses a request that is malformed or ambiguous; it is answered with a problem. It has no stack trace, because callers can
 * cause it at will.
 */
public final class RefusedRequestException extends Exception {

    private static final long serialVersionUID = 1;

    private final int status;

    /**
     * @param detail a text of Sluice, which contains input of the caller only in escaped form
     */
    public RefusedRequestException(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    /** Creates a refusal with status 400. */
    public static RefusedRequestException bad(String detail) {
        return new RefusedRequestException(400, detail);
    }

    public int status() {
        return status;
    }

    /** Returns the description of the problem. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
