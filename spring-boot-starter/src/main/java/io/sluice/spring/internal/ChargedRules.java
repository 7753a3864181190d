package io.sluice.spring.internal;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The attribute of a reactive exchange by which one filter tells the next which rules ruled on the request already, so that none is
 * charged twice.
 */
public final class ChargedRules {

    private static final String ATTRIBUTE = ChargedRules.class.getName();

    private ChargedRules() {}

    /** Notes the ids of rules that were asked. */
    public static void add(Map<String, Object> attributes, Collection<String> rules) {
        of(attributes).addAll(rules);
    }

    /** The ids, to be added to. Safe for use by many threads. */
    @SuppressWarnings("unchecked")
    public static Set<String> of(Map<String, Object> attributes) {
        return (Set<String>) attributes.computeIfAbsent(ATTRIBUTE, name -> ConcurrentHashMap.<String>newKeySet());
    }
}
