package io.sluice.node.gateway.proxy;

import io.vertx.core.MultiMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Headers that speak of one connection and are not sent on (RFC 9110, section 7.6.1), and framing, which everyone does by himself. */
public final class HopByHop {

    /** A header without a name is one of them: the server reads it, others may not. */
    private static final Set<String> NEVER = Set.of(
            "",
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-authentication-info",
            "te",
            "transfer-encoding",
            "content-length",
            "upgrade",
            "http2-settings");

    /** Limits go by the real method and path, so nobody behind the gateway may hear of others. */
    private static final Set<String> OVERRIDES =
            Set.of("x-http-method-override", "x-http-method", "x-method-override", "x-original-url", "x-rewrite-url");

    /** Framing and routing do not belong into trailers (RFC 9110, section 6.5.1). */
    private static final Set<String> NOT_IN_TRAILERS = Set.of(
            "host",
            "trailer",
            "content-encoding",
            "content-type",
            "content-range",
            "authorization",
            "cookie",
            "set-cookie",
            "cache-control",
            "expect",
            "max-forwards",
            "range");

    private HopByHop() {}

    /** In small letters, all that {@code Connection} names, however many lines it has. */
    public static Set<String> named(MultiMap headers) {
        if (!headers.contains("connection")) {
            return Set.of();
        }
        List<String> lines = headers.getAll("connection");
        if (lines.size() == 1 && isPlain(lines.get(0))) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (String line : lines) {
            for (String name : line.split(",", -1)) {
                names.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    /** @param name in small letters */
    static boolean inRequest(String name, Set<String> named) {
        return NEVER.contains(name)
                || OVERRIDES.contains(name)
                || name.equals("trailer")
                || name.indexOf('_') >= 0
                || named.contains(name);
    }

    /** @param name in small letters */
    static boolean inAnswer(String name, Set<String> named) {
        return NEVER.contains(name) || named.contains(name);
    }

    /** @param name in small letters */
    static boolean inTrailers(String name, Set<String> named) {
        return inAnswer(name, named) || NOT_IN_TRAILERS.contains(name) || name.startsWith(":");
    }

    /** Whether a list such as that of {@code Connection} or {@code TE} has this member, in any case. */
    static boolean lists(MultiMap headers, String header, String member) {
        for (String line : headers.getAll(header)) {
            for (String each : line.split(",", -1)) {
                if (each.strip().equalsIgnoreCase(member)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isPlain(String line) {
        return line.equalsIgnoreCase("keep-alive") || line.equalsIgnoreCase("close");
    }
}
