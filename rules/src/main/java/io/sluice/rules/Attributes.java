package io.sluice.rules;

import io.sluice.rules.internal.ClientAddress;
import io.sluice.rules.internal.RequestPath;
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

    private final Map<String, String> values;

    private Attributes(Map<String, String> values) {
        this.values = values;
    }

    /** Refuses header names that differ only in case: one of them would escape its limit. */
    public static Attributes of(Map<String, String> given) {
        Map<String, String> values = new HashMap<>(given.size() * 2);
        given.forEach((name, value) -> {
            if (values.put(normalisedName(name), normalised(name, value)) != null) {
                throw new IllegalArgumentException("attributes: " + normalisedName(name)
                        + " twice (expected: names that differ in more than case)");
            }
        });
        return new Attributes(values);
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

    private static String normalised(String name, String value) {
        return switch (name) {
            case "ip" -> ClientAddress.normalised(value);
            case "path" -> RequestPath.normalised(value);
            default -> value;
        };
    }
}
