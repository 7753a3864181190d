package io.sluice.rules.pattern;

import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a request, as text. Immutable.
 *
 * <p>Created once per request at the front end. This class brings everything into its canonical form: header names in lower case,
 * the address, the path, the host. Code that matches or counts later only compares text.
 */
public final class Attributes {

    private static final String HEADER = "header.";
    private static final String IP = "ip";

    private final Map<String, String> values;
    private final @Nullable Address address;
    private final Origin origin;

    private Attributes(Map<String, String> values, @Nullable Address address, Origin origin) {
        this.values = values;
        this.address = address;
        this.origin = origin;
    }

    /** Creates attributes with the path in its {@linkplain PathForm#STRICT strict} form. */
    public static Attributes of(Map<String, String> given) {
        return of(given, PathForm.STRICT);
    }

    /**
     * Creates attributes. Refuses header names that differ only in case, because one of them would escape its limit. Refuses a
     * path without a normal form with a {@link PathRefusedException}, because it would match no rule.
     */
    public static Attributes of(Map<String, String> given, PathForm form) {
        Map<String, String> values = new HashMap<>(given.size() * 2);
        given.forEach((name, value) -> {
            if (values.put(normalisedName(name), normalised(name, value, form)) != null) {
                throw new IllegalArgumentException("attributes: " + normalisedName(name)
                        + " is given twice (expected: names that differ in more than case)");
            }
        });
        return withAddress(values);
    }

    private static Attributes withAddress(Map<String, String> values) {
        String ip = values.get(IP);
        Address address = ip == null ? null : HopAddress.read(ip);
        if (ip != null) {
            values.put(IP, address == null ? Address.UNKNOWN : address.toString());
        }
        return new Attributes(values, address, Origin.UNKNOWN);
    }

    /**
     * Creates attributes with the path in its strict form from a map that the caller no longer uses. This spares the copy if no
     * name has to change, as in most requests.
     *
     * @param own a map that can be changed
     */
    public static Attributes taking(Map<String, String> own) {
        for (String name : own.keySet()) {
            if (name.startsWith(HEADER)) {
                return of(own);
            }
        }
        own.replaceAll((name, value) -> normalised(name, value, PathForm.STRICT));
        return withAddress(own);
    }

    /** Returns the same attributes of a request with this origin. */
    public Attributes from(Origin origin) {
        return origin.equals(this.origin) ? this : new Attributes(values, address, origin);
    }

    /** Returns only the attributes with these names, of the same request. */
    public Attributes only(Set<String> names) {
        Map<String, String> some = new HashMap<>(values);
        some.keySet().retainAll(names);
        return new Attributes(some, some.containsKey(IP) ? address : null, origin);
    }

    /** Returns how the request is known to other systems. No rule can match it. */
    public Origin origin() {
        return origin;
    }

    /** Returns the canonical name of an attribute: header names in lower case, all others unchanged. */
    public static String normalisedName(String name) {
        return name.startsWith(HEADER) ? name.toLowerCase(Locale.ROOT) : name;
    }

    public @Nullable String get(String name) {
        return values.get(name);
    }

    /** Returns the canonical names of all attributes. */
    public Set<String> names() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /** Returns the number of attributes. */
    public int size() {
        return values.size();
    }

    /**
     * Returns the address in {@code ip}; null if there is none. In that case {@code ip} is missing, or is {@link Address#UNKNOWN}
     * whatever was sent. Text that is not an address must not distinguish callers, because a caller could send a different one
     * each time.
     */
    public @Nullable Address address() {
        return address;
    }

    private static String normalised(String name, String value, PathForm form) {
        if (name.equals("path")) {
            return form.normal(value);
        }
        return HostText.ATTRIBUTE.equalsIgnoreCase(name) ? HostText.normal(value) : value;
    }
}
