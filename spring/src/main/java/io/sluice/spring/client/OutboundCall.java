package io.sluice.spring.client;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** A call that is about to be made. The headers are the headers of the request itself; do not change them. */
public record OutboundCall(HttpMethod method, URI uri, HttpHeaders headers) {

    private static final String HEADER = "header.";

    /** Returns the host in lower case, without the port; empty if the URI has no host. */
    public String host() {
        String host = uri.getHost();
        return host == null ? "" : host.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns an attribute by the name that rules use: {@code host}, {@code method}, {@code path} or {@code header.<name>}; null
     * if the call does not have it.
     */
    public @Nullable String attribute(String name) {
        if (name.startsWith(HEADER)) {
            return headers.getFirst(name.substring(HEADER.length()));
        }
        return switch (name) {
            case "host" -> host();
            case "method" -> method.name();
            case "path" -> uri.getRawPath();
            default -> null;
        };
    }
}
