package io.sluice.center.signin;

import io.sluice.center.edge.Exposure;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The address at which people reach a center. It determines the relying party of passkeys, redirect addresses, the flags of cookies and the
 * allowed origin. Immutable.
 */
public final class PublicAddress {

    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private final URI url;
    private final boolean isGiven;

    private PublicAddress(URI url, boolean isGiven) {
        this.url = url;
        this.isGiven = isGiven;
    }

    /**
     * Returns the given address, or an address on this machine. The latter names {@code localhost}, because a passkey cannot belong to an
     * IP address.
     *
     * @param isTls whether the center itself serves HTTPS
     */
    public static PublicAddress of(Optional<URI> given, boolean isTls, int port) {
        return given.map(url -> new PublicAddress(url, true))
                .orElseGet(() ->
                        new PublicAddress(URI.create((isTls ? "https" : "http") + "://localhost:" + port), false));
    }

    public URI url() {
        return url;
    }

    /** Returns the scheme, host and port in the form that browsers send. */
    public String origin() {
        boolean isUsual = url.getPort() < 0 || url.getPort() == (isHttps() ? HTTPS_PORT : HTTP_PORT);
        return url.getScheme() + "://" + url.getHost().toLowerCase(Locale.ROOT) + (isUsual ? "" : ":" + url.getPort());
    }

    /** Returns the name that owns the passkeys. */
    public String relyingParty() {
        return url.getHost();
    }

    public boolean isHttps() {
        return "https".equals(url.getScheme());
    }

    /**
     * Returns whether browsers may stop using plain HTTP. This does not hold on this machine, because its other programs serve plain HTTP
     * under the same name.
     */
    boolean isStrict() {
        return isHttps() && !Exposure.isThisMachine(url.getHost());
    }

    /** Returns whether pages of this origin belong to this center. */
    boolean accepts(String origin) {
        if (origin.equals(origin())) {
            return true;
        }
        return !isGiven
                && THIS_MACHINE.stream()
                        .anyMatch(host -> origin.equals(url.getScheme() + "://" + host + ":" + url.getPort()));
    }
}
