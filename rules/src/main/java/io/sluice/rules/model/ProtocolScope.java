package io.sluice.rules.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects requests of another protocol, in place of a rule's {@link Scope}. Request attributes never match such a rule; the
 * module that implements the protocol looks it up. Immutable, compared by value.
 */
public interface ProtocolScope {

    /** Returns the key in rule documents, such as {@code envoy}. */
    String key();

    /** Returns the value in rule documents: texts, numbers, flags, nulls, lists and maps in a fixed order, without defaults. */
    Map<String, @Nullable Object> content();

    /**
     * Checks that an action is possible with this scope.
     *
     * @throws IllegalArgumentException with the complete error message, if it is not
     */
    default void check(Action action) {}
}
