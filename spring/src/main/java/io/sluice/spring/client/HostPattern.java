package io.sluice.spring.client;

import java.net.URI;
import java.util.Locale;

/**
 * The hosts that a limit applies to: one host, all hosts below a domain ({@code *.example.com}, without {@code example.com}
 * itself), or one of these on a single port. Case is ignored. Immutable.
 */
record HostPattern(String host, boolean below, int port) {

    private static final int ANY_PORT = -1;

    /** @throws IllegalArgumentException if the text is not a host pattern */
    static HostPattern of(String text) {
        String rest = text.trim().toLowerCase(Locale.ROOT);
        boolean below = rest.startsWith("*.");
        URI uri;
        try {
            uri = URI.create("http://" + (below ? rest.substring(2) : rest));
        } catch (IllegalArgumentException e) {
            throw refused(text);
        }
        String host = uri.getHost();
        if (host == null || !uri.getRawPath().isEmpty() || uri.getRawQuery() != null || uri.getRawUserInfo() != null) {
            throw refused(text);
        }
        return new HostPattern(withoutDot(host), below, uri.getPort());
    }

    boolean matches(OutboundCall call) {
        String called = withoutDot(call.host());
        boolean named = below ? called.endsWith("." + host) : called.equals(host);
        return named && (port == ANY_PORT || port == port(call.uri()));
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }

    /** A trailing dot of a fully qualified name does not change which host is called. */
    private static String withoutDot(String host) {
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException(
                "hosts: \"" + text + "\" (expected: a host, *.domain or host:port, such as api.example.com)");
    }
}
