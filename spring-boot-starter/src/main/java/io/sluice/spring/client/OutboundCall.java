package io.sluice.spring.client;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** A call that is about to be made. The headers are those of the request and not to be changed. */
public record OutboundCall(HttpMethod method, URI uri, HttpHeaders headers) {

    private static final String HEADER = "header.";

    /** The host that is called, in small letters, without the port; empty if the address has none. */
    public String host() {
        String host = uri.getHost();
        return host == null ? "" : host.toLowerCase(Locale.ROOT);
    }

    /** What rules know the call by: {@code host}, {@code method}, {@code path}, {@code header.<name>}; null if there is none. */
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
