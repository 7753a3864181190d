package io.sluice.rules;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a rule is for; what is not named matches everything. Immutable.
 *
 * @param service the exact service
 * @param resource which paths
 * @param methods in capitals; a request's method matches in any case, so that {@code post} does not escape a limit on POST
 */
public record Scope(@Nullable String service, @Nullable PathPattern resource, Set<String> methods) {

    /** Every request. */
    public static final Scope EVERYTHING = new Scope(null, null, Set.of());

    public Scope {
        methods = Set.copyOf(methods);
    }

    public boolean matches(Attributes request) {
        return matchesService(request) && matchesMethod(request) && matchesResource(request);
    }

    /** The level of a limit that does not tell callers apart. */
    public Level level() {
        return resource != null ? Level.RESOURCE : service != null ? Level.SERVICE : Level.GLOBAL;
    }

    private boolean matchesService(Attributes request) {
        return service == null || service.equals(request.get("service"));
    }

    private boolean matchesMethod(Attributes request) {
        String method = request.get("method");
        return methods.isEmpty() || (method != null && methods.contains(method.toUpperCase(Locale.ROOT)));
    }

    private boolean matchesResource(Attributes request) {
        String path = request.get("path");
        return resource == null || (path != null && resource.matches(path));
    }
}
