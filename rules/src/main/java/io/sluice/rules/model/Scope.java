package io.sluice.rules.model;

import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a rule applies to. A part that is not set matches every request. Immutable.
 *
 * @param service the exact name of the service
 * @param resource the pattern of the path
 * @param methods the methods, in upper case; a request's method matches ignoring case, so that {@code post} does not escape a limit on
 *     POST; GET also matches HEAD, because servers do the same work for both
 * @param match the conditions by attribute name; all must hold
 */
public record Scope(
        @Nullable String service, @Nullable PathPattern resource, Set<String> methods, Map<String, Condition> match) {

    /** Matches every request. */
    public static final Scope EVERYTHING = new Scope(null, null, Set.of(), Map.of());

    public Scope {
        methods = Set.copyOf(methods);
        Map<String, Condition> named = new LinkedHashMap<>(match.size() * 2);
        for (Map.Entry<String, Condition> entry : match.entrySet()) {
            String name = Attributes.normalisedName(entry.getKey());
            Condition condition = entry.getValue();
            if (!condition.attribute().equals(name)) {
                throw new IllegalArgumentException(
                        "match." + name + ": a condition on " + condition.attribute() + " (expected: on " + name + ")");
            }
            if (named.put(name, condition) != null) {
                throw new IllegalArgumentException(
                        "match: " + name + " is listed twice (expected: names that differ in more than case)");
            }
        }
        match = inOrder(named);
    }

    /** Returns an unmodifiable map. One element needs no table, and there may be hundreds of thousands of such maps. */
    private static Map<String, Condition> inOrder(Map<String, Condition> named) {
        if (named.size() != 1) {
            return named.isEmpty() ? Map.of() : Collections.unmodifiableMap(named);
        }
        Map.Entry<String, Condition> only = named.entrySet().iterator().next();
        return Map.of(only.getKey(), only.getValue());
    }

    /** Returns whether a request matches in any reading of its path. */
    public boolean matches(Attributes request) {
        return request.inAnyReading(this::matchesReading);
    }

    /** Returns whether a request matches in every reading of its path. */
    public boolean matchesEveryReading(Attributes request) {
        return request.inEveryReading(this::matchesReading);
    }

    /**
     * Returns whether a request matches only if a server reads the slash at the end of its path as an empty name: {@code /users/} as {@code
     * /users/{id}}. The root has no other spelling, so this is never true for the root.
     */
    public boolean matchesOnlyAnEmptyName(Attributes request) {
        return !matchesReading(request)
                && request.otherReadings().stream().filter(this::matchesReading).allMatch(Attributes::isEmptyName)
                && matches(request);
    }

    private boolean matchesReading(Attributes request) {
        return matchesService(request) && matchesMethod(request) && matchesResource(request) && matchesRest(request);
    }

    /** Returns the request methods that a rule with these methods matches: GET adds HEAD. */
    public static Set<String> meant(Set<String> methods) {
        if (!methods.contains("GET") || methods.contains("HEAD")) {
            return methods;
        }
        Set<String> meant = new LinkedHashSet<>(methods);
        meant.add("HEAD");
        return meant;
    }

    /** Returns this scope without the conditions on the attributes that the predicate accepts. */
    public Scope without(Predicate<String> attributes) {
        Map<String, Condition> rest = new LinkedHashMap<>(match);
        rest.keySet().removeIf(attributes);
        return new Scope(service, resource, methods, rest);
    }

    /** Returns the level of a limit that does not distinguish callers. */
    public Level level() {
        return resource != null ? Level.RESOURCE : service != null ? Level.SERVICE : Level.GLOBAL;
    }

    private boolean matchesService(Attributes request) {
        return service == null || service.equals(request.get("service"));
    }

    private boolean matchesMethod(Attributes request) {
        String method = request.get("method");
        return methods.isEmpty() || (method != null && meant(methods).contains(method.toUpperCase(Locale.ROOT)));
    }

    private boolean matchesResource(Attributes request) {
        String path = request.get("path");
        return resource == null || (path != null && resource.matches(path));
    }

    private boolean matchesRest(Attributes request) {
        for (Condition condition : match.values()) {
            if (!condition.matches(request.get(condition.attribute()))) {
                return false;
            }
        }
        return true;
    }
}
