package io.sluice.spring.gateway;

import io.sluice.rules.Address;
import io.sluice.rules.CallerAddress;
import io.sluice.spring.CurrentRequest;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** A request as it came to the gateway, before filters of its route changed it; for applications without the filter for WebFlux. */
record RouteRequest(
        ServerHttpRequest request,
        CallerAddress callers,
        @Nullable Principal principal) implements CurrentRequest {

    private static final String HEADER = "header.";
    private static final String QUERY = "query.";

    @Override
    public @Nullable String attribute(String name) {
        if (name.startsWith(HEADER)) {
            return request.getHeaders().getFirst(name.substring(HEADER.length()));
        }
        if (name.startsWith(QUERY)) {
            return request.getQueryParams().getFirst(name.substring(QUERY.length()));
        }
        return switch (name) {
            case "path" -> request.getURI().getRawPath();
            case "method" -> request.getMethod().name().toUpperCase(Locale.ROOT);
            case "ip" -> callers.of(peer(), this::lines).map(Address::toString).orElse(null);
            case "user" -> principal == null ? null : principal.getName();
            default -> null;
        };
    }

    private List<String> lines(String header) {
        return request.getHeaders().getOrEmpty(header);
    }

    private @Nullable Address peer() {
        InetSocketAddress remote = request.getRemoteAddress();
        return remote == null || remote.getAddress() == null
                ? null
                : Address.of(remote.getAddress().getAddress());
    }
}
