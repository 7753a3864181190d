package io.sluice.center.http;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The address of the caller whose request the current thread answers, for code that is called by libraries. */
public final class RequestAddress {

    private RequestAddress() {}

    /** Returns the address; empty if the thread does not answer a request. */
    public static String current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes.getRequest().getRemoteAddr()
                : "";
    }
}
