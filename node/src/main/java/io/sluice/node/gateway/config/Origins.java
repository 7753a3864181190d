package io.sluice.node.gateway.config;

import io.sluice.http.request.Authority;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** Reads the addresses of upstreams: scheme, host and port, and no other part. */
final class Origins {

    private static final int HIGHEST_PORT = 65_535;

    private Origins() {}

    /** Reads an address and adds a missing default port, so that equal addresses are equal. The exception has the message. */
    static URI of(String text) {
        try {
            URI uri = new URI(text);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            boolean tls = scheme.equals("https");
            int port = uri.getPort() >= 0 ? uri.getPort() : tls ? 443 : 80;
            if ((tls || scheme.equals("http"))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && port >= 1
                    && port <= HIGHEST_PORT) {
                return new URI(scheme, null, host(uri.getHost().toLowerCase(Locale.ROOT)), port, null, null, null);
            }
        } catch (URISyntaxException e) {
            // Refused below.
        }
        throw new IllegalArgumentException("upstreams: " + PrintableText.text(text.replaceAll("//[^/]*@", "//***@"))
                + " (expected: http://host:port or https://host:port and nothing else)");
    }

    /** Normalizes an IPv6 address. An IPv4-mapped address becomes the IPv4 address to which it connects. */
    private static String host(String name) {
        if (!name.startsWith("[") || name.indexOf('%') >= 0) {
            return name;
        }
        return Authority.parse(name)
                .map(Authority::host)
                .orElseThrow(() -> new IllegalArgumentException("upstreams: " + PrintableText.text(name)
                        + " (expected: a name, an IPv4 address, or an IPv6 address in brackets)"));
    }
}
