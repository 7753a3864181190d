package io.sluice.spring.web;

import io.sluice.http.request.RefusedRequestException;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ResponseStatusException;

/**
 * Thrown when a value of the current request is ambiguous or unreadable. Spring answers it with its status; Sluice's exception
 * handlers do the same if an expression or a proxy has wrapped it. It has no stack trace, because callers can cause any number
 * of these exceptions.
 */
public final class UnreadableRequestException extends ResponseStatusException {

    private static final long serialVersionUID = 1;

    private final RefusedRequestException refused;

    UnreadableRequestException(RefusedRequestException refused) {
        super(HttpStatusCode.valueOf(refused.status()), refused.detail(), refused);
        this.refused = refused;
    }

    /** Returns the problem of the request. */
    public RefusedRequestException refused() {
        return refused;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
