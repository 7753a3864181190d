package io.sluice.node.gateway.route;

import io.sluice.http.request.Authority;
import io.sluice.rules.yaml.PrintableText;
import java.util.Locale;

/**
 * The hosts of a route: {@code shop.example} exactly, {@code *.shop.example} with anything before it, or all hosts. Immutable.
 *
 * @param name the name in lower case; for a wildcard the part after the star, with its dot; empty for all hosts
 */
public record HostPattern(Kind kind, String name) {

    /** The kinds of patterns, from the most to the least specific. */
    enum Kind {
        EXACT,
        WILDCARD,
        ANY
    }

    public static final HostPattern ANY = new HostPattern(Kind.ANY, "");

    private static final int LONGEST = 253;
    private static final int LONGEST_LABEL = 63;

    /** Reads a pattern. The exception has the complete message. */
    public static HostPattern of(String text) {
        String small = text.toLowerCase(Locale.ROOT);
        boolean wildcard = small.startsWith("*.");
        String name = wildcard ? small.substring(2) : small;
        if (!isName(name) && (wildcard || !isAddress(name))) {
            throw new IllegalArgumentException("host: " + PrintableText.text(text)
                    + " (expected: a name such as shop.example or *.shop.example, without a port; omit host for all)");
        }
        return wildcard ? new HostPattern(Kind.WILDCARD, "." + name) : new HostPattern(Kind.EXACT, asAskedFor(name));
    }

    boolean matches(String host) {
        return switch (kind) {
            case EXACT -> host.equals(name);
            case WILDCARD -> host.length() <= LONGEST && host.length() > name.length() && host.endsWith(name);
            case ANY -> true;
        };
    }

    /** Returns whether a host is short enough to be a name; a wildcard matches only names. */
    static boolean mayBeName(String host) {
        return host.length() <= LONGEST;
    }

    private static boolean isName(String name) {
        if (name.isEmpty() || name.length() > LONGEST) {
            return false;
        }
        for (String label : name.split("\\.", -1)) {
            if (label.isEmpty()
                    || label.length() > LONGEST_LABEL
                    || !label.chars().allMatch(HostPattern::inLabel)
                    || label.startsWith("-")
                    || label.endsWith("-")) {
                return false;
            }
        }
        return true;
    }

    private static boolean inLabel(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }

    /** Normalizes an address to the one spelling that requests use, because it has several. */
    private static String asAskedFor(String name) {
        return name.startsWith("[") ? Authority.parse(name).map(Authority::host).orElse(name) : name;
    }

    /** Returns whether the text is an IPv6 address in brackets, as in requests. */
    private static boolean isAddress(String name) {
        return name.startsWith("[")
                && name.endsWith("]")
                && name.length() <= LONGEST
                && name.indexOf('%') < 0
                && io.sluice.rules.pattern.Address.parse(name.substring(1, name.length() - 1))
                        .isPresent();
    }

    @Override
    public String toString() {
        return kind == Kind.WILDCARD ? "*" + name : name;
    }
}
