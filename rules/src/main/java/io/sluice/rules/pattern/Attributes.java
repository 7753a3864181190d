package io.sluice.rules.pattern;

import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request, as text. Immutable.
 *
 * <p>Made once at the front door, and here everything is brought into its one form: header names in small letters, the
 * address, the path. Whoever matches or counts afterwards compares text.
 */
public final class Attributes {

    private static final String HEADER = "header.";
    private static final String IP = "ip";

    private final Map<String, String> values;
    private final @Nullable Address address;

    private Attributes(Map<String, String> values, @Nullable Address address) {
        this.values = values;
        this.address = address;
    }

    /** With the path in its {@linkplain PathForm#STRICT strict} form. */
    public static Attributes of(Map<String, String> given) {
        return of(given, PathForm.STRICT);
    }

    /**
     * Refuses header names that differ only in case, one of which would escape its limit, and with a {@link
     * PathRefusedException} a path without a normal form, which would match no rule.
     */
    public static Attributes of(Map<String, String> given, PathForm form) {
        Map<String, String> values = new HashMap<>(given.size() * 2);
        given.forEach((name, value) -> {
            if (values.put(normalisedName(name), normalised(name, value, form)) != null) {
                throw new IllegalArgumentException("attributes: " + normalisedName(name)
                        + " twice (expected: names that differ in more than case)");
            }
        });
        String ip = given.get(IP);
        Address address = ip == null ? null : HopAddress.read(ip);
        if (ip != null) {
            values.put(IP, address == null ? Address.UNKNOWN : address.toString());
        }
        return new Attributes(values, address);
    }

    /** An attribute's one spelling: header names in small letters, everything else as it is. */
    public static String normalisedName(String name) {
        return name.startsWith(HEADER) ? name.toLowerCase(Locale.ROOT) : name;
    }

    public @Nullable String get(String name) {
        return values.get(name);
    }

    /** Of all that is known, in their one spelling. */
    public Set<String> names() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /** How many there are. */
    public int size() {
        return values.size();
    }

    /**
     * The address in {@code ip}; null if there is none. Then {@code ip} is missing, or {@link Address#UNKNOWN} whatever was sent:
     * text that is no address tells no callers apart, since a caller could send another one each time.
     */
    public @Nullable Address address() {
        return address;
    }

    private static String normalised(String name, String value, PathForm form) {
        return name.equals("path") ? form.normal(value) : value;
    }
}
