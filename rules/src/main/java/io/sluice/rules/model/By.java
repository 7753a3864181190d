package io.sluice.rules.model;

import java.util.Optional;

/**
 * An attribute that distinguishes callers. Immutable.
 *
 * <p>Both attributes have the same meaning: the value {@code 17} has one count, for both attributes.
 *
 * @param attribute the attribute, in the spelling of {@link io.sluice.rules.pattern.Attributes#normalisedName}
 * @param otherwise the attribute to use if the request does not have the first attribute
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
