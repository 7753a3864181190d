package io.sluice.cli.demo;

import java.util.Map;
import java.util.TreeMap;

/**
 * A request of a sample caller. Immutable.
 *
 * @param address the address of the caller
 * @param headers the headers, without the address
 */
record DemoRequest(String method, String path, String address, Map<String, String> headers) {

    DemoRequest {
        headers = Map.copyOf(headers);
    }

    static DemoRequest of(String method, String path, String address) {
        return new DemoRequest(method, path, address, Map.of());
    }

    static DemoRequest of(String method, String path, DemoCaller caller) {
        return of(method, path, caller.address()).with("x-api-key", caller.key());
    }

    DemoRequest with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new DemoRequest(method, path, address, more);
    }
}
