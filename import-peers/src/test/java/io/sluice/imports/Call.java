package io.sluice.imports;

import java.util.Map;

/**
 * A request.
 *
 * @param target path and query, as they are sent
 */
record Call(String method, String target, Map<String, String> headers) {

    Call {
        headers = Map.copyOf(headers);
    }

    static Call get(String target) {
        return of("GET", target);
    }

    static Call of(String method, String target) {
        return new Call(method, target, Map.of());
    }

    Call with(String header, String value) {
        return new Call(method, target, Map.of(header, value));
    }

    /** Returns the same request from an address, which both applications read as Tomcat does. */
    Call from(String address) {
        return with("X-Forwarded-For", address);
    }
}
