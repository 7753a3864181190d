package io.sluice.spring.internal;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An attribute of a reactive exchange in which one filter records the rules that have already charged the request, so that the
 * next filter does not charge them again.
 */
public final class ChargedRules {

    private static final String ATTRIBUTE = ChargedRules.class.getName();

    private ChargedRules() {}

    /** Records the ids of rules that have decided about the request. */
    public static void add(Map<String, Object> attributes, Collection<String> rules) {
        of(attributes).addAll(rules);
    }

    /** Returns the mutable set of recorded ids. Thread-safe. */
    @SuppressWarnings("unchecked")
    public static Set<String> of(Map<String, Object> attributes) {
        return (Set<String>) attributes.computeIfAbsent(ATTRIBUTE, name -> ConcurrentHashMap.<String>newKeySet());
    }
}
