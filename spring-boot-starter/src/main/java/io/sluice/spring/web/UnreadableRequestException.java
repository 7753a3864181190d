package io.sluice.spring.web;

import io.sluice.http.request.RefusedRequestException;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ResponseStatusException;

/**
 * What somebody asked of the current request can be read in two ways, or not at all. Spring answers with its status, and so do we where
 * an expression or a proxy has wrapped it. Carries no stack trace: callers can make these at will.
 */
public final class UnreadableRequestException extends ResponseStatusException {

    private static final long serialVersionUID = 1;

    private final RefusedRequestException refused;

    UnreadableRequestException(RefusedRequestException refused) {
        super(HttpStatusCode.valueOf(refused.status()), refused.detail(), refused);
        this.refused = refused;
    }

    /** What is wrong with the request. */
    public RefusedRequestException refused() {
        return refused;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
