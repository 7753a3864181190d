package io.sluice.spring.gateway;

import io.sluice.http.field.QueryFields;
import io.sluice.http.request.CallerAddress;
import io.sluice.http.trace.RequestOrigin;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Origin;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.HeaderValues;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ResponseStatusException;

/**
 * A request as it arrived at the gateway, before the filters of its route changed it. Used in applications without the WebFlux
 * filter. Reading a header or query field that occurs twice is answered with status 400.
 */
record RouteRequest(
        ServerHttpRequest request,
        CallerAddress callers,
        @Nullable Principal principal) implements CurrentRequest {

    private static final String HEADER = "header.";
    private static final String QUERY = "query.";

    @Override
    public @Nullable String attribute(String name) {
        if (name.startsWith(HEADER)) {
            return header(name.substring(HEADER.length()));
        }
        if (name.startsWith(QUERY)) {
            return query(name);
        }
        return switch (name) {
            case "path" -> request.getURI().getRawPath();
            case "method" -> request.getMethod().name().toUpperCase(Locale.ROOT);
            case "ip" -> callers.of(peer(), this::lines).map(Address::toString).orElse(null);
            case "user" -> principal == null ? null : principal.getName();
            default -> null;
        };
    }

    private @Nullable String header(String name) {
        List<String> lines = lines(name);
        if (lines.size() > 1 && !name.equalsIgnoreCase("cookie")) {
            throw bad("header " + name + ": " + lines.size() + " values (expected: one, because a limit counts by it)");
        }
        return lines.isEmpty() ? null : String.join("; ", lines);
    }

    private @Nullable String query(String attribute) {
        Map<String, String> found = new HashMap<>();
        String query = request.getURI().getRawQuery();
        try {
            QueryFields.of(List.of(attribute)).addTo(found, query == null ? "" : query);
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()));
        }
        return found.get(attribute);
    }

    @Override
    public Origin origin() {
        return RequestOrigin.of(this::lines);
    }

    private static ResponseStatusException bad(String detail) {
        return new ResponseStatusException(HttpStatus.BAD_REQUEST, detail);
    }

    private List<String> lines(String header) {
        return HeaderValues.of(request.getHeaders(), header);
    }

    private @Nullable Address peer() {
        InetSocketAddress remote = request.getRemoteAddress();
        return remote == null || remote.getAddress() == null
                ? null
                : Address.of(remote.getAddress().getAddress());
    }
}
