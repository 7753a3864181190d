package io.sluice.rules.pattern;

import java.util.Locale;
import java.util.Optional;

/**
 * The canonical form of {@code header.host}: in lower case, without a port and without the trailing dot of the root. So {@code
 * Shop.Example.:81} is {@code shop.example}, as for the routes of the gateway, and a caller has one count for all ports.
 */
public final class HostText {

    /** The attribute whose value is a host. */
    public static final String ATTRIBUTE = "header.host";

    private HostText() {}

    /** Returns the canonical form of a host. Text that is not a host is only converted to lower case. */
    public static String normal(String text) {
        String host = text.substring(0, hostEnd(text)).toLowerCase(Locale.ROOT);
        if (host.startsWith("[") && host.endsWith("]")) {
            return address(host);
        }
        return host.length() > 1 && host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    private static int hostEnd(String text) {
        int colon = colon(text);
        boolean port = colon >= 0
                && text.substring(colon + 1).chars().allMatch(c -> c >= '0' && c <= '9')
                && text.indexOf(':', colon + 1) < 0;
        return port ? colon : text.length();
    }

    /** Returns the position where a port may begin, after an address in brackets, or -1 if there is none. */
    private static int colon(String text) {
        return text.indexOf(':', text.startsWith("[") ? Math.max(0, text.indexOf(']')) : 0);
    }

    private static String address(String bracketed) {
        Optional<Address> address = Address.parse(bracketed.substring(1, bracketed.length() - 1));
        return address.map(any -> any.isV4() ? any.toString() : "[" + any + "]").orElse(bracketed);
    }

    /**
     * Returns the canonical form of a host in a condition.
     *
     * @throws IllegalArgumentException with the expected form, if it has a port or a pattern of a port, because it would never hold
     */
    public static String condition(String text) {
        if (colon(text) >= 0) {
            throw new IllegalArgumentException("a host without a port, such as shop.example or [::1]");
        }
        return normal(text);
    }
}
