package io.sluice.http.request;

import io.sluice.rules.pattern.Address;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The host of a request in its canonical form. Immutable.
 *
 * <p>A host consists of letters, digits, {@code -}, {@code _} and single dots between them, in lower case and without the
 * trailing root dot; or it is an IPv6 address in brackets. Nothing is decoded. Parts that servers read in different ways, such
 * as a user, an empty port or {@code %2e}, are rejected.
 *
 * <p>{@code java.net.URI} accepts a user and an empty port, and finds no host in a name with {@code _}.
 *
 * @param host the host without a port, in lower case
 * @param text the host with the port, if there is one
 */
public record Authority(String host, String text) {

    private static final String EXPECTED = " (expected: one host, such as shop.example or shop.example:8443)";
    private static final int LONGEST_HOST = 253;
    private static final int LONGEST_LABEL = 63;
    private static final int HIGHEST_PORT = 65_535;
    private static final int MOST_DIGITS = 5;

    /**
     * Reads the host from the {@code Host} header lines.
     *
     * @throws RefusedRequestException if there is no host, more than one host, or a host that servers could read differently
     */
    public static Authority of(List<String> lines) throws RefusedRequestException {
        if (lines.size() != 1) {
            throw RefusedRequestException.bad(
                    "host: " + (lines.isEmpty() ? "none" : lines.size() + " values") + EXPECTED);
        }
        return read(lines.get(0));
    }

    /**
     * Reads the host from one line.
     *
     * @throws RefusedRequestException if servers could read it differently
     */
    public static Authority read(String text) throws RefusedRequestException {
        Optional<Authority> authority = parse(text);
        if (authority.isEmpty()) {
            throw RefusedRequestException.bad("host: invalid" + EXPECTED);
        }
        return authority.get();
    }

    /** Returns this host, after checking that the other host is the same. */
    public Authority agreeing(Authority other) throws RefusedRequestException {
        if (!equals(other)) {
            throw RefusedRequestException.bad("host: two different values" + EXPECTED);
        }
        return this;
    }

    /** Parses a host. Returns empty if servers could read it differently. */
    public static Optional<Authority> parse(String text) {
        int bracket = text.startsWith("[") ? text.indexOf(']') : 0;
        if (bracket < 0) {
            return Optional.empty();
        }
        int colon = text.indexOf(':', bracket);
        String name = colon < 0 ? text : text.substring(0, colon);
        String port = colon < 0 ? "" : text.substring(colon);
        String host = bracket > 0 ? literal(name) : name(name);
        return host.isEmpty() || !isPort(port)
                ? Optional.empty()
                : Optional.of(new Authority(host, port.isEmpty() ? host : host + port));
    }

    private static String literal(String bracketed) {
        if (!bracketed.endsWith("]") || bracketed.indexOf('%') >= 0) {
            return "";
        }
        Optional<Address> address = Address.parse(bracketed.substring(1, bracketed.length() - 1));
        return address.map(any -> any.isV4() ? any.toString() : "[" + any + "]").orElse("");
    }

    private static String name(String text) {
        String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        if (name.isEmpty() || name.length() > LONGEST_HOST) {
            return "";
        }
        boolean small = true;
        int label = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean capital = c >= 'A' && c <= 'Z';
            if (c == '.') {
                if (label == 0) {
                    return "";
                }
                label = 0;
            } else if (capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') {
                small &= !capital;
                if (++label > LONGEST_LABEL) {
                    return "";
                }
            } else {
                return "";
            }
        }
        return label == 0 ? "" : small ? name : name.toLowerCase(Locale.ROOT);
    }

    /** Returns whether this is a port with its colon, or empty. */
    private static boolean isPort(String text) {
        if (text.isEmpty()) {
            return true;
        }
        int digits = text.length() - 1;
        if (digits < 1 || digits > MOST_DIGITS || text.charAt(1) == '0') {
            return false;
        }
        int port = 0;
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return false;
            }
            port = port * 10 + (c - '0');
        }
        return port <= HIGHEST_PORT;
    }
}
