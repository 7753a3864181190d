package io.sluice.rules.model;

import io.sluice.rules.internal.table.BlockTable;
import io.sluice.rules.internal.table.GlobTable;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Glob;
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
 * What one attribute of a request must be, for a rule or an override to apply: one of some values. A request without the
 * attribute never matches. Immutable.
 *
 * <p>A value is text, or a {@link Glob}. Of {@code ip} it is an address or a block of addresses in CIDR form and nothing else,
 * because one address has many spellings. A {@code method} is compared in any case, and GET is for HEAD, too; a {@code path} is
 * compared in its normalised form.
 */
public final class Condition {

    /** More are not compared one by one. */
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
        this.values = Collections.unmodifiableSet(values);
        this.globs = Collections.unmodifiableSet(globs);
        this.networks = Collections.unmodifiableSet(networks);
        this.manyGlobs = globs.size() > FEW ? GlobTable.of(globs) : null;
        this.manyNetworks = networks.size() > FEW ? BlockTable.of(networks) : null;
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
            if (name.equals(IP)) {
                networks.add(network(value));
            } else {
                Optional<Glob> glob = glob(name, value);
                String literal = glob.map(Glob::example).orElseGet(() -> Glob.literal(value));
                if (name.equals(PATH)) {
                    checkPath(value, value.startsWith("*") ? "/" + literal : literal);
                }
                glob.ifPresentOrElse(
                        globs::add, () -> exact.add(name.equals(METHOD) ? literal.toUpperCase(Locale.ROOT) : literal));
            }
        }
        return new Condition(name, exact, globs, networks);
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

    /** Refuses what no normalised path is like, since it would be a condition that never holds. */
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

    /** Whose name is in its one spelling. */
    public String attribute() {
        return attribute;
    }

    /** The values that are plain text, methods in capitals. */
    public Set<String> values() {
        return values;
    }

    /** The values of requests that are meant: of methods, HEAD where there is GET. */
    public Set<String> meant() {
        return attribute.equals(METHOD) ? Scope.meant(values) : values;
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
