package io.sluice.spring.web;

import io.sluice.http.request.RefusedRequestException;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ResponseStatusException;

/**
 * Thrown when a value of the current request is ambiguous or unreadable. Spring answers it with its status, and so do our
 * exception handlers where an expression or a proxy has wrapped it. It has no stack trace, because callers can cause any number
 * of these.
 */
public final class UnreadableRequestException extends ResponseStatusException {

    private static final long serialVersionUID = 1;

    private final RefusedRequestException refused;

    UnreadableRequestException(RefusedRequestException refused) {
        super(HttpStatusCode.valueOf(refused.status()), refused.detail(), refused);
        this.refused = refused;
    }

    /** Returns what is wrong with the request. */
    public RefusedRequestException refused() {
        return refused;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
