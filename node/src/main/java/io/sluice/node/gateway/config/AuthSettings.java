package io.sluice.node.gateway.config;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of authentication. Immutable.
 *
 * @param tokens JSON Web Tokens, sent as {@code Authorization: Bearer}
 * @param apiKeys API keys, sent in a separate header
 */
public record AuthSettings(Optional<Tokens> tokens, Optional<ApiKeys> apiKeys) {

    static final String DEFAULT_HEADER = "X-API-Key";
    static final Duration DEFAULT_SKEW = Duration.ofSeconds(30);
    static final Set<String> DEFAULT_ALGORITHMS = Set.of("RS256");
    static final Map<String, String> DEFAULT_CLAIMS = Map.of("user", "sub");

    /** The accepted algorithms. All use a public key to verify, so a holder of that key cannot sign. */
    static final List<String> ALGORITHMS =
            List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

    /** The attributes of an identity besides {@code claim.<name>}. */
    public static final List<String> ATTRIBUTES = List.of("user", "tenant", "app", "plan");

    private static final Duration LARGEST_SKEW = Duration.ofMinutes(5);

    public AuthSettings {
        if (tokens.isEmpty() && apiKeys.isEmpty()) {
            throw new IllegalArgumentException("auth: empty (expected: jwks or api_keys)");
        }
    }

    /** The source of the issuers' keys. */
    public sealed interface KeySource {

        /** A JSON Web Key Set in a file, watched for changes. */
        record File(Path path) implements KeySource {}

        /** A set that is fetched every few minutes, and again when a token names a key that is missing in it. */
        record Url(URI uri) implements KeySource {
            public Url {
                String host = uri.getHost();
                boolean plain = "http".equalsIgnoreCase(uri.getScheme());
                if (host == null || (!"https".equalsIgnoreCase(uri.getScheme()) && !(plain && isLoopback(host)))) {
                    throw new IllegalArgumentException(
                            "jwks: " + uri + " (expected: a file, https://…, or http:// on this machine)");
                }
            }

            private static boolean isLoopback(String host) {
                boolean literal = host.matches("[0-9.]+") || host.startsWith("[");
                try {
                    return host.equalsIgnoreCase("localhost")
                            || (literal && InetAddress.getByName(host).isLoopbackAddress());
                } catch (UnknownHostException e) {
                    return false;
                }
            }
        }
    }

    /**
     * The accepted tokens.
     *
     * @param algorithms some of {@link #ALGORITHMS}; a token cannot choose another
     * @param audience a token must name at least one of these; if empty, the audience is not checked
     * @param issuer the issuer that a token must name
     * @param claims the claim for each attribute of {@link #ATTRIBUTES}
     * @param skew the maximum difference between clocks, up to five minutes
     */
    public record Tokens(
            KeySource jwks,
            Set<String> algorithms,
            Set<String> audience,
            Optional<String> issuer,
            Map<String, String> claims,
            Duration skew) {

        public Tokens {
            algorithms = Set.copyOf(algorithms);
            audience = Set.copyOf(audience);
            claims = Map.copyOf(claims);
            for (String algorithm : algorithms) {
                if (!ALGORITHMS.contains(algorithm)) {
                    throw new IllegalArgumentException("algorithms: " + algorithm + " (expected: one of " + ALGORITHMS
                            + ", with which only the issuer can sign)");
                }
            }
            if (algorithms.isEmpty()) {
                throw new IllegalArgumentException("algorithms: [] (expected: at least one of " + ALGORITHMS + ")");
            }
            if (audience.isEmpty() && issuer.isEmpty()) {
                throw new IllegalArgumentException(
                        "audience: none (expected: audience or issuer, or tokens for other services would pass)");
            }
            for (String attribute : claims.keySet()) {
                if (!ATTRIBUTES.contains(attribute)) {
                    throw new IllegalArgumentException(
                            "claims: " + attribute + " (expected: " + String.join(", ", ATTRIBUTES) + ")");
                }
            }
            if (skew.isNegative() || skew.compareTo(LARGEST_SKEW) > 0) {
                throw new IllegalArgumentException("skew: " + skew + " (expected: 0s..5m)");
            }
        }
    }

    /**
     * The accepted API keys.
     *
     * @param file the file with their hashes, watched for changes
     * @param header the header that carries the key
     */
    public record ApiKeys(Path file, String header) {
        public ApiKeys {
            HeaderRules.requireName(header);
            if (header.equalsIgnoreCase("authorization") || header.equalsIgnoreCase("cookie")) {
                throw new IllegalArgumentException(
                        "api_key_header: " + header + " (expected: a header for API keys only)");
            }
        }
    }
}
