package io.sluice.redis.internal.link;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the addresses of Redis servers. */
public final class RedisAddress {

    private static final String HIDDEN = "***";

    private static final Pattern PARTS = Pattern.compile("(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*://)(?<user>[^/?#]*@)?"
            + "(?<servers>[^/?#@]*)(?<rest>(?<path>[^?#]*)(?<query>\\?[^#]*)?(?<fragment>#.*)?)");

    /** A host name or an address. Lettuce takes any text that it cannot parse, such as {@code host:port5}, for a name. */
    private static final Pattern HOST =
            Pattern.compile("[^\\s:,/@\\[\\]]+|\\[?[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F.]*]?");

    /** A duration that the address states, as Lettuce reads it: {@code ?timeout=200ms}. */
    private static final Pattern TIMEOUT =
            Pattern.compile("[^?]*\\?(?:[^#]*&)?timeout=(?<number>\\d{1,9})(?<unit>ms|s|m|h)(?:[&#].*)?");

    private RedisAddress() {}

    /**
     * Returns the time that the address gives Redis to answer, {@code ?timeout=200ms}; empty if it states none.
     *
     * @throws IllegalArgumentException if the address states a time that cannot be read
     */
    public static Optional<Duration> timeout(String uri) {
        Matcher stated = TIMEOUT.matcher(uri);
        if (stated.matches()) {
            long number = Long.parseLong(stated.group("number"));
            Duration timeout =
                    switch (stated.group("unit")) {
                        case "ms" -> Duration.ofMillis(number);
                        case "s" -> Duration.ofSeconds(number);
                        case "m" -> Duration.ofMinutes(number);
                        default -> Duration.ofHours(number);
                    };
            if (!timeout.isZero()) {
                return Optional.of(timeout);
            }
        }
        if (uri.contains("?timeout=") || uri.contains("&timeout=")) {
            throw new IllegalArgumentException(
                    "redis: \"" + shown(uri) + "\" (expected: a timeout such as ?timeout=200ms, 5s or 1m)");
        }
        return Optional.empty();
    }

    /** Returns the longer of the time that the address states and another one. */
    public static Duration atLeast(Duration other, String uri) {
        return timeout(uri).filter(stated -> stated.compareTo(other) > 0).orElse(other);
    }

    /**
     * Parses the address of a server or of Sentinels.
     *
     * @throws IllegalArgumentException if the address is invalid
     */
    public static RedisURI of(String uri) {
        return server(uri, uri);
    }

    /**
     * Parses the address of one server.
     *
     * @param whole the complete address that it is part of, for the error message
     */
    public static RedisURI server(String uri, String whole) {
        RedisURI address;
        try {
            address = RedisURI.create(uri);
        } catch (IllegalArgumentException e) {
            // Drop the cause: its message repeats the URI, including the password.
            throw refused(whole);
        }
        if (address.getHost() != null && !HOST.matcher(address.getHost()).matches()) {
            throw refused(whole);
        }
        address.setTimeout(atLeast(Connector.CONNECTING_MAY_TAKE, whole));
        return address;
    }

    public static IllegalArgumentException refused(String uri) {
        return new IllegalArgumentException("redis: \"" + shown(uri)
                + "\" (expected: redis://, rediss://, redis-sentinel://, redis-cluster:// or rediss-cluster://, such as"
                + " redis://127.0.0.1:6379 or redis-cluster://10.0.0.1:6379,10.0.0.2:6379)");
    }

    /**
     * Returns the address without its secrets. A user or password that is not percent-encoded may itself contain a slash, a
     * question mark or a hash. Their end is then unknown, so only the scheme is shown.
     */
    public static String shown(String uri) {
        Matcher parts = PARTS.matcher(uri);
        if (!parts.matches()) {
            return HIDDEN;
        }
        String scheme = parts.group("scheme");
        if (parts.group("rest").indexOf('@') >= 0) {
            return scheme + HIDDEN;
        }
        return scheme
                + (parts.group("user") == null ? "" : HIDDEN + "@")
                + parts.group("servers")
                + parts.group("path")
                + (parts.group("query") == null ? "" : "?" + HIDDEN)
                + (parts.group("fragment") == null ? "" : "#" + HIDDEN);
    }
}
