package io.sluice.rules.pattern;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The names of the attributes that Sluice's own front ends send. Callers of the decision API may send other attributes. */
public final class AttributeNames {

    /** The names without a prefix. The starter sends {@code key}, the attribute that a method or a route counts by. */
    public static final List<String> PLAIN =
            List.of("service", "path", "method", "ip", "user", "tenant", "app", "plan", "domain", "key");

    /** The beginnings of names, each with its dot. */
    public static final List<String> PREFIXES =
            List.of("header.", "query.", "claim.", "form.", "json.", "descriptor.", "answer.", "sluice.");

    private AttributeNames() {}

    /** Returns whether a front end sends an attribute of this name. */
    public static boolean isKnown(String name) {
        if (name.indexOf('.') < 0) {
            return PLAIN.contains(name);
        }
        for (String prefix : PREFIXES) {
            if (name.startsWith(prefix) && name.length() > prefix.length()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the right spelling of a name that is known in another case of letters; empty if there is no such name. */
    public static Optional<String> respelled(String name) {
        if (isKnown(name)) {
            return Optional.empty();
        }
        String small = name.toLowerCase(Locale.ROOT);
        if (PLAIN.contains(small)) {
            return Optional.of(small);
        }
        return PREFIXES.stream()
                .filter(small::startsWith)
                .map(prefix -> Attributes.normalisedName(prefix + name.substring(prefix.length())))
                .filter(right -> !right.equals(name))
                .findFirst();
    }
}
