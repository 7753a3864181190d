package io.sluice.runtime.center;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The address of a center, and the file with the token that it expects. Immutable.
 *
 * @param origin scheme, host and port; the token is sent to no other origin
 * @param trusted a PEM file with the certificate of the center or of its authority; without one, the authorities of the JVM are trusted
 */
public record CenterAddress(URI origin, Path tokenFile, Optional<Path> trusted) {

    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final String EXPECTED = " (expected: http://HOST:PORT or https://HOST:PORT)";

    public CenterAddress {
        origin = checked(origin);
    }

    /** Creates an address of a center whose certificate the JVM trusts. */
    public CenterAddress(URI origin, Path tokenFile) {
        this(origin, tokenFile, Optional.empty());
    }

    /** Returns the same address with another certificate or authority. */
    public CenterAddress trusting(Optional<Path> certificates) {
        return new CenterAddress(origin, tokenFile, certificates);
    }

    /**
     * Checks an address without connecting.
     *
     * @throws IllegalArgumentException if the URL is invalid; the message does not show it if it may contain a password
     */
    public static CenterAddress of(String url, Path tokenFile) {
        return new CenterAddress(parsed(url), tokenFile);
    }

    /**
     * Combines two settings; empty if neither is given.
     *
     * @param tokenSetting the name of the setting with the token file, for the error if it is missing
     * @param urlSetting the name of the setting with the URL, for the error if it is missing
     * @throws IllegalArgumentException if only one is given, or the URL is invalid
     */
    public static Optional<CenterAddress> of(
            Optional<String> url, Optional<Path> tokenFile, String urlSetting, String tokenSetting) {
        if (url.isEmpty() && tokenFile.isEmpty()) {
            return Optional.empty();
        }
        if (url.isEmpty()) {
            throw new IllegalArgumentException(tokenSetting + ": without a center (expected: " + urlSetting + " too)");
        }
        if (tokenFile.isEmpty()) {
            throw new IllegalArgumentException(
                    urlSetting + ": without a token (expected: " + tokenSetting + " too, a file with the token)");
        }
        return Optional.of(of(url.get(), tokenFile.get()));
    }

    /** Returns the URL if it is the URL of a center. */
    public static String checked(String url) {
        URI unused = checked(parsed(url));
        return url;
    }

    private static URI parsed(String url) {
        try {
            return new URI(url.strip());
        } catch (URISyntaxException e) {
            throw refused(url);
        }
    }

    private static URI checked(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        boolean plain = url.getUserInfo() == null
                && url.getQuery() == null
                && url.getFragment() == null
                && (url.getPath() == null
                        || url.getPath().isEmpty()
                        || url.getPath().equals("/"));
        if (!SCHEMES.contains(scheme) || url.getHost() == null || !plain || url.getPort() > 65_535) {
            throw refused(url.toString());
        }
        return URI.create(scheme + "://" + url.getRawAuthority());
    }

    private static IllegalArgumentException refused(String url) {
        String shown = url.indexOf('@') >= 0 || url.indexOf('?') >= 0 ? "unreadable" : PrintableText.text(url);
        return new IllegalArgumentException("center: " + shown + EXPECTED);
    }

    /** Returns whether others on the network may read the token. Names are not resolved, which could take long. */
    boolean isReadableOnTheWay() {
        String host = origin.getHost();
        boolean here = host.equals("localhost")
                || host.equals("[::1]")
                || (host.startsWith("127.") && Address.parse(host).isPresent());
        return origin.getScheme().equals("http") && !here;
    }
}
