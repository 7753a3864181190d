package io.sluice.node.gateway.config;

import java.util.Locale;
import java.util.Set;

/** The headers that users may set: no header that controls message framing, and no value that could start another message. */
public final class HeaderRules {

    /** Headers that control the start, end and destination of messages. With them, a second request could be smuggled past all limits. */
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
     * Returns the name if users may set this header.
     *
     * @throws IllegalArgumentException if it is not a header name, or a name that users may not set
     */
    public static String requireName(String name) {
        boolean token = !name.isEmpty();
        for (int i = 0; i < name.length() && token; i++) {
            char c = name.charAt(i);
            token = c > ' ' && c < 0x7f && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
        }
        if (!token || OURS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("header: " + (token ? name : "not a name")
                    + " (expected: the name of a header that does not control message framing)");
        }
        return name;
    }

    /**
     * Returns the value if it is valid in a header.
     *
     * @throws IllegalArgumentException if it has an invalid character
     */
    public static String requireValue(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
                throw new IllegalArgumentException("header value: invalid character (expected: ASCII)");
            }
        }
        return value;
    }
}
