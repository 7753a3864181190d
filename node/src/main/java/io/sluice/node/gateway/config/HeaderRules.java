package io.sluice.node.gateway.config;

import java.util.Locale;
import java.util.Set;

/** Which headers users may set: none that says where messages begin and end, and no value that could begin another one. */
public final class HeaderRules {

    private static final Set<String> OURS = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "upgrade",
            "te",
            "trailer",
            "expect",
            "proxy-connection");

    private HeaderRules() {}

    /**
     * Returns the name if users may set such a header.
     *
     * @throws IllegalArgumentException if it is no name, or one that is not for users
     */
    public static String requireName(String name) {
        boolean token = !name.isEmpty();
        for (int i = 0; i < name.length() && token; i++) {
            char c = name.charAt(i);
            token = c > ' ' && c < 0x7f && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
        }
        if (!token || OURS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("header: " + (token ? name : "not a name")
                    + " (expected: one that does not say where messages begin and end)");
        }
        return name;
    }

    /**
     * Returns the value if it can stand in a header.
     *
     * @throws IllegalArgumentException if a character of it may not stand in a header
     */
    public static String requireValue(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
                throw new IllegalArgumentException(
                        "header value: a character that may not stand there (expected: ASCII)");
            }
        }
        return value;
    }
}
