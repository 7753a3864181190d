package io.sluice.rules.model;

import java.util.Map;

/**
 * The requests of another protocol that a rule is for, in place of its {@link Scope}. No attribute of a request reaches such a
 * rule: the module that speaks the protocol finds it. Immutable, compared by value.
 */
public interface ProtocolScope {

    /** The key under which rule documents write it, such as {@code envoy}. */
    String key();

    /** What documents write under the key: texts, flags, lists and maps in a fixed order, defaults left out. */
    Map<String, Object> content();

    /**
     * Refuses an action that has no meaning with this scope.
     *
     * @throws IllegalArgumentException with the whole message
     */
    default void check(Action action) {}
}
