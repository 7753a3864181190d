package io.sluice.rules;

import io.sluice.rules.internal.RequestPath;
import io.sluice.rules.yaml.Shown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one attribute of a request must be, for a rule or an override to apply: one of some values. A request without the
 * attribute never matches. Immutable.
 *
 * <p>A value is text, or a {@link Glob}. Of {@code ip} it is an address or a block of addresses in CIDR form and nothing else,
 * because one address has many spellings. A {@code method} is compared in any case, a {@code path} in its normalised form.
 */
public final class Condition {

    private static final String IP = "ip";
    private static final String METHOD = "method";
    private static final String PATH = "path";

    private final String attribute;
    private final Set<String> values;
    private final Set<Glob> globs;
    private final Set<Network> networks;

    private Condition(String attribute, Set<String> values, Set<Glob> globs, Set<Network> networks) {
        this.attribute = attribute;
        this.values = Collections.unmodifiableSet(values);
        this.globs = Collections.unmodifiableSet(globs);
        this.networks = Collections.unmodifiableSet(networks);
    }

    /**
     * Reads the values of an attribute, as they stand in a document.
     *
     * @param attribute header names in any case
     * @throws IllegalArgumentException {@code match.<attribute>: … (expected: …)} for the first that is wrong
     */
    public static Condition parse(String attribute, List<String> values) {
        String name = Attributes.normalisedName(attribute);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("match." + name + ": [] (expected: at least one value)");
        }
        Set<String> exact = new LinkedHashSet<>();
        Set<Glob> globs = new LinkedHashSet<>();
        Set<Network> networks = new LinkedHashSet<>();
        for (String value : values) {
            try {
                if (name.equals(IP)) {
                    networks.add(Network.parse(value));
                } else {
                    String text = name.equals(METHOD) ? value.toUpperCase(Locale.ROOT) : value;
                    Glob.parse(text).ifPresentOrElse(globs::add, () -> exact.add(compared(name, Glob.literal(text))));
                }
            } catch (IllegalArgumentException e) {
                String expected = name.equals(IP)
                        ? "an address such as 203.0.113.9 or a block such as 10.0.0.0/8"
                        : e.getMessage();
                throw new IllegalArgumentException(
                        "match." + name + ": " + Shown.text(value) + " (expected: " + expected + ")", e);
            }
        }
        return new Condition(name, exact, globs, networks);
    }

    /** An attribute's value in the form in which conditions compare it: for methods in capitals. */
    public static String compared(String attribute, String value) {
        return switch (attribute) {
            case METHOD -> value.toUpperCase(Locale.ROOT);
            case PATH -> RequestPath.normalised(value);
            default -> value;
        };
    }

    /**
     * Whether a request's attribute is meant.
     *
     * @param value as {@link Attributes} have it; null if the request does not have the attribute
     */
    public boolean matches(@Nullable String value) {
        if (value == null) {
            return false;
        }
        if (attribute.equals(IP)) {
            return matchesAddress(value);
        }
        String text = attribute.equals(METHOD) ? value.toUpperCase(Locale.ROOT) : value;
        return values.contains(text) || globs.stream().anyMatch(glob -> glob.matches(text));
    }

    private boolean matchesAddress(String value) {
        byte[] address;
        try {
            address = Network.parse(value).address();
        } catch (IllegalArgumentException e) {
            return false;
        }
        return networks.stream().anyMatch(network -> network.contains(address));
    }

    /** Whose name is in its one spelling. */
    public String attribute() {
        return attribute;
    }

    /** The values that are plain text, methods in capitals. */
    public Set<String> values() {
        return values;
    }

    /** The values with wildcards, methods in capitals. */
    public Set<Glob> globs() {
        return globs;
    }

    /** The values of {@code ip}: addresses are blocks of one. */
    public Set<Network> networks() {
        return networks;
    }

    /** The values as a document would have them, so that {@link #parse} makes an equal condition of them. */
    public List<String> texts() {
        List<String> texts = new ArrayList<>();
        values.forEach(value -> texts.add(Glob.escaped(value)));
        globs.forEach(glob -> texts.add(glob.toString()));
        networks.forEach(network -> texts.add(network.toString()));
        return texts;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Condition condition
                && condition.attribute.equals(attribute)
                && condition.values.equals(values)
                && condition.globs.equals(globs)
                && condition.networks.equals(networks);
    }

    @Override
    public int hashCode() {
        return Objects.hash(attribute, values, globs, networks);
    }

    @Override
    public String toString() {
        return attribute + ": " + texts();
    }
}
