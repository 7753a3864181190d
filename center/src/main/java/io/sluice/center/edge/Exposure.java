package io.sluice.center.edge;

import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;

/**
 * Refuses a center whose passwords and tokens could be read on the network. Beyond the loopback address, a center needs a certificate, or a
 * proxy with one.
 */
public final class Exposure {

    private Exposure() {}

    /**
     * Checks settings before a start.
     *
     * @throws IOException if the settings are refused; the message is one line for the user
     */
    public static void check(String bind, SignInSettings settings) throws IOException {
        Optional<URI> url = settings.publicUrl();
        if (url.isPresent()) {
            check(url.get());
            if (settings.tls().isPresent() && !isHttps(url.get())) {
                throw new IOException("public-url: " + url.get() + " with a certificate (expected: https://…, because"
                        + " center.tls makes the center speak HTTPS only)");
            }
        }
        for (String network : settings.trustedProxies()) {
            checkProxies(network);
        }
        boolean isProxied = !settings.trustedProxies().isEmpty()
                && url.filter(Exposure::isHttps).isPresent();
        if (!isLoopback(bind) && settings.tls().isEmpty() && !isProxied) {
            throw new IOException("center-bind: " + bind + " without TLS, so others on the network could read passwords"
                    + " and tokens (expected: center.tls with cert and key in --config; or a proxy with TLS, its network"
                    + " in center.trusted_proxies and --public-url https://…; or --center-bind 127.0.0.1)");
        }
    }

    private static void checkProxies(String text) throws IOException {
        try {
            if (Network.parse(text).prefixLength() == 0) {
                throw new IOException("trusted_proxies: " + text + " trusts everybody (expected: the networks of your"
                        + " proxies, such as 10.0.0.0/8)");
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("trusted_proxies: " + e.getMessage(), e);
        }
    }

    /**
     * Checks the public address. The pages use paths from the root, and cookies with the prefix {@code __Host-} belong to the whole host.
     */
    private static void check(URI url) throws IOException {
        String scheme = String.valueOf(url.getScheme());
        String path = String.valueOf(url.getPath());
        if (!scheme.matches("https?")
                || url.getHost() == null
                || url.getUserInfo() != null
                || url.getQuery() != null
                || url.getFragment() != null
                || !path.isEmpty()) {
            throw new IOException("public-url: " + PrintableText.text(url.toString())
                    + " (expected: scheme and host without a path, such as https://sluice.example)");
        }
        if (!isHttps(url) && !isThisMachine(url.getHost())) {
            throw new IOException("public-url: " + PrintableText.text(url.toString())
                    + " (expected: https, because others on the network could read passwords and tokens)");
        }
    }

    /** Returns whether a host in a URL is this machine. Names are not resolved. */
    public static boolean isThisMachine(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals("localhost")
                || name.endsWith(".localhost")
                || name.equals("[::1]")
                || (name.startsWith("127.") && Address.parse(name).isPresent());
    }

    private static boolean isHttps(URI url) {
        return "https".equals(url.getScheme());
    }

    private static boolean isLoopback(String bind) {
        try {
            return InetAddress.getByName(bind).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
