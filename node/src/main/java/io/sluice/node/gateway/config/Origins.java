package io.sluice.node.gateway.config;

import io.sluice.http.request.Authority;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** Addresses of upstreams: scheme, host and port, and nothing else. */
final class Origins {

    private static final int HIGHEST_PORT = 65_535;

    private Origins() {}

    /** With its port even where it is the usual one, so that equal ones are equal; the exception has the whole message. */
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
                + " (expected: http://host:port or https://host:port, with nothing behind it)");
    }

    /** An address of IPv6 in its one spelling; one that means an address of IPv4 as that, which is what is connected to. */
    private static String host(String name) {
        if (!name.startsWith("[") || name.indexOf('%') >= 0) {
            return name;
        }
        return Authority.parse(name)
                .map(Authority::host)
                .orElseThrow(() -> new IllegalArgumentException("upstreams: " + PrintableText.text(name)
                        + " (expected: a name, or an address of IPv4 or of IPv6 in brackets)"));
    }
}
