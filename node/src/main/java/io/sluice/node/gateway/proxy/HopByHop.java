package io.sluice.node.gateway.proxy;

import io.vertx.core.MultiMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Headers of a single connection, which are not forwarded (RFC 9110, section 7.6.1), and headers that control framing. */
public final class HopByHop {

    /** Includes the empty name: this server accepts such a header, others may not. */
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

    /** Headers that override method or path. Limits use the real values, so upstreams must not see others. */
    private static final Set<String> OVERRIDES =
            Set.of("x-http-method-override", "x-http-method", "x-method-override", "x-original-url", "x-rewrite-url");

    /** Headers that must not be trailers, because they control framing or routing (RFC 9110, section 6.5.1). */
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

    /** Returns all header names in {@code Connection}, in lower case, from all its lines. */
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

    /** @param name the name in lower case */
    static boolean inRequest(String name, Set<String> named) {
        return NEVER.contains(name)
                || OVERRIDES.contains(name)
                || name.equals("trailer")
                || name.indexOf('_') >= 0
                || named.contains(name);
    }

    /** @param name the name in lower case */
    static boolean inAnswer(String name, Set<String> named) {
        return NEVER.contains(name) || named.contains(name);
    }

    /** @param name the name in lower case */
    static boolean inTrailers(String name, Set<String> named) {
        return inAnswer(name, named) || NOT_IN_TRAILERS.contains(name) || name.startsWith(":");
    }

    /** Returns whether a list such as {@code Connection} or {@code TE} has this member, ignoring case. */
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
