package io.sluice.center.alert;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** A place within the center's pages. The pages keep these paths. Immutable. */
record ViewPath(String text) {

    static ViewPath of(String page) {
        return new ViewPath(page);
    }

    /** Returns the page of the traffic between two times, in milliseconds since 1970. */
    static ViewPath traffic(long from, long until) {
        return of("/traffic")
                .with("from", Instant.ofEpochMilli(from).toString())
                .with("to", Instant.ofEpochMilli(until).toString());
    }

    /** Returns the page of a node. */
    static ViewPath node(String id) {
        return of("/nodes").with("id", id);
    }

    /** Returns a copy with a parameter; the same path if the value is empty. */
    ViewPath with(String name, String value) {
        if (value.isEmpty()) {
            return this;
        }
        return new ViewPath(text + (text.contains("?") ? "&" : "?") + name + "="
                + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
}
