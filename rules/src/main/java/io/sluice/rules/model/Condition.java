package io.sluice.rules.model;

import io.sluice.rules.internal.table.BlockTable;
import io.sluice.rules.internal.table.GlobTable;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Glob;
import io.sluice.rules.pattern.HostText;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.pattern.PathRefusedException;
import io.sluice.rules.yaml.PrintableText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A condition on one attribute of a request: for a rule or an override to apply, the attribute must have one of several values. A
 * request without the attribute never matches. Immutable.
 *
 * <p>A value is plain text or a {@link Glob}. A value of {@code ip} must be an address or a CIDR block, because one address has many
 * spellings. A {@code method} is compared ignoring case, and GET also matches HEAD. A {@code path} is compared in its normalised form, and
 * so is a {@code header.host}.
 */
public final class Condition {

    /** Up to this many globs or networks are compared one by one; more go into a table. */
    private static final int FEW = 8;

    private static final String IP = "ip";
    private static final String METHOD = "method";
    private static final String PATH = "path";

    private final String attribute;
    private final Set<String> values;
    private final Set<Glob> globs;
    private final Set<Network> networks;
    private final @Nullable GlobTable manyGlobs;
    private final @Nullable BlockTable manyNetworks;

    private Condition(String attribute, Set<String> values, Set<Glob> globs, Set<Network> networks) {
        this.attribute = attribute;
        this.values = inOrder(values);
        this.globs = inOrder(globs);
        this.networks = inOrder(networks);
        this.manyGlobs = globs.size() > FEW ? GlobTable.of(globs) : null;
        this.manyNetworks = networks.size() > FEW ? BlockTable.of(networks) : null;
    }

    /**
     * Returns an unmodifiable set. Most sets have at most one element and need no table, and there may be hundreds of thousands of them.
     */
    private static <T> Set<T> inOrder(Set<T> set) {
        if (set.size() != 1) {
            return set.isEmpty() ? Set.of() : Collections.unmodifiableSet(set);
        }
        return Set.of(set.iterator().next());
    }

    /** Returns a set with another element, which may be the same set. A set for one element is not made for more. */
    private static <T> Set<T> with(Set<T> set, T element) {
        if (set.isEmpty()) {
            return Set.of(element);
        }
        Set<T> more = set.size() == 1 ? new LinkedHashSet<>(set) : set;
        more.add(element);
        return more;
    }

    /**
     * Parses the values of an attribute as they are written in a document.
     *
     * @param attribute the attribute's name; header names may be in any case
     * @throws IllegalArgumentException {@code match.<attribute>: … (expected: …)} for the first bad value
     */
    public static Condition parse(String attribute, List<String> values) {
        String name = Attributes.normalisedName(attribute);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("match." + name + ": [] (expected: at least one value)");
        }
        Set<String> exact = Set.of();
        Set<Glob> globs = Set.of();
        Set<Network> networks = Set.of();
        for (String written : values) {
            String value = name.equals(HostText.ATTRIBUTE) ? host(written) : written;
            if (name.equals(IP)) {
                networks = with(networks, network(value));
                continue;
            }
            Optional<Glob> glob = glob(name, value);
            String literal = glob.isPresent() ? glob.get().example() : Glob.literal(value);
            if (name.equals(PATH)) {
                checkPath(value, value.startsWith("*") ? "/" + literal : literal);
            }
            if (glob.isPresent()) {
                globs = with(globs, glob.get());
            } else {
                exact = with(exact, name.equals(METHOD) ? literal.toUpperCase(Locale.ROOT) : literal);
            }
        }
        return new Condition(name, exact, globs, networks);
    }

    /**
     * Returns whether a request's attribute satisfies this condition.
     *
     * @param value the value as {@link Attributes} returns it; null if the request does not have the attribute
     */
    public boolean matches(@Nullable String value) {
        if (value == null) {
            return false;
        }
        if (attribute.equals(IP)) {
            return matchesAddress(value);
        }
        String text = attribute.equals(METHOD) ? value.toUpperCase(Locale.ROOT) : value;
        return meant().contains(text) || matchesGlob(text);
    }

    private boolean matchesAddress(String value) {
        Address address = Address.parse(value).orElse(null);
        if (address == null) {
            return false;
        }
        if (manyNetworks != null) {
            return manyNetworks.has(address.bytes());
        }
        for (Network network : networks) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private boolean matchesGlob(String text) {
        if (manyGlobs != null) {
            return manyGlobs.has(text);
        }
        for (Glob glob : globs) {
            if (glob.matches(text)) {
                return true;
            }
        }
        return false;
    }

    private static Optional<Glob> glob(String attribute, String value) {
        try {
            return Glob.parse(attribute.equals(METHOD) ? value.toUpperCase(Locale.ROOT) : value);
        } catch (IllegalArgumentException e) {
            throw refused(attribute, value, String.valueOf(e.getMessage()));
        }
    }

    /** Refuses a path that is not in normalised form, because such a condition would never hold. */
    private static void checkPath(String value, String example) {
        String normal;
        try {
            normal = PathPattern.NORMAL.normal(example);
        } catch (PathRefusedException e) {
            throw refused(PATH, value, e.expected());
        }
        if (!normal.equals(example)) {
            throw refused(
                    PATH, value, example.equals(value) ? normal : "a pattern such as /api/*, no slash at the end");
        }
    }

    private static String host(String value) {
        try {
            return HostText.condition(value);
        } catch (IllegalArgumentException e) {
            throw refused(HostText.ATTRIBUTE, value, String.valueOf(e.getMessage()));
        }
    }

    private static IllegalArgumentException refused(String attribute, String value, String expected) {
        return new IllegalArgumentException(
                "match." + attribute + ": " + PrintableText.text(value) + " (expected: " + expected + ")");
    }

    private static Network network(String value) {
        try {
            return Network.parse(value);
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            throw new IllegalArgumentException("match.ip" + message.substring(message.indexOf(':')), e);
        }
    }

    /** Returns the normalised name of the attribute. */
    public String attribute() {
        return attribute;
    }

    /** Returns the values that are plain text. Methods are in upper case. */
    public Set<String> values() {
        return values;
    }

    /** Returns the plain values that a request may have to match. For methods, GET adds HEAD. */
    public Set<String> meant() {
        return attribute.equals(METHOD) ? Scope.meant(values) : values;
    }

    /** Returns the values with wildcards. Methods are in upper case. */
    public Set<Glob> globs() {
        return globs;
    }

    /** Returns the values of {@code ip}. A single address is a network of one. */
    public Set<Network> networks() {
        return networks;
    }

    /** Returns the values as a document would write them. {@link #parse} makes an equal condition from them. */
    public List<String> texts() {
        List<String> texts = new ArrayList<>();
        values.forEach(value -> texts.add(Glob.escaped(value)));
        globs.forEach(glob -> texts.add(glob.toString()));
        networks.forEach(network -> texts.add(shown(network)));
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

    private static String shown(Network network) {
        byte[] address = network.address();
        boolean one = network.prefixLength() == address.length * Byte.SIZE;
        return one ? Address.of(address).toString() : network.toString();
    }
}
