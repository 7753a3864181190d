package io.sluice.rules;

import java.util.Optional;

/**
 * An attribute that tells callers apart. Immutable.
 *
 * @param attribute its name in its one spelling
 * @param otherwise the attribute that counts where the request has not got that one
 */
public record By(String attribute, Optional<String> otherwise) {

    public static By attribute(String name) {
        return new By(name, Optional.empty());
    }
}
