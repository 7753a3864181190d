package io.sluice.spring.web;

import io.sluice.http.trace.RequestOrigin;
import io.sluice.rules.pattern.Origin;

/** Reads the id and trace of a request in other systems, for logs and traces. Must be fast and thread-safe. */
@FunctionalInterface
public interface OriginReader {

    /** Reads {@code traceparent} and {@code x-request-id}. */
    OriginReader HEADERS = request -> RequestOrigin.of(request::headers);

    /** Returns the origin of a request, on a thread that works for it; {@link Origin#UNKNOWN} if there is none. */
    Origin of(IncomingRequest request);
}
