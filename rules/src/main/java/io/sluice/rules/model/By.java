package io.sluice.rules.model;

import java.util.Optional;

/**
 * An attribute that tells callers apart. Immutable.
 *
 * <p>Both attributes stand for the same thing: the value {@code 17} is one count, whichever of them it came in.
 *
 * @param attribute as {@link io.sluice.rules.pattern.Attributes#normalisedName} spells it
 * @param otherwise the attribute to look at where the request does not have the first
 */
public record By(String attribute, Optional<String> otherwise) {

    public By {
        if (attribute.isEmpty() || otherwise.filter(String::isEmpty).isPresent()) {
            throw new IllegalArgumentException("by: empty (expected: an attribute, such as ip or user)");
        }
    }

    public static By attribute(String name) {
        return new By(name, Optional.empty());
    }
}
