package io.sluice.spring.boot.check;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The environment variables of the process, without the variables of another program. Sluice's own command line reads {@code SLUICE_REDIS},
 * for example. Spring Boot would take that for the value of the whole group {@code sluice.redis} and fail.
 */
final class OwnVariables extends SystemEnvironmentPropertySource implements OriginLookup<String> {

    private final SystemEnvironmentPropertySource all;

    /** @param foreign selects the variables that are left out */
    OwnVariables(SystemEnvironmentPropertySource all, Predicate<String> foreign) {
        super(all.getName(), without(all.getSource(), foreign));
        this.all = all;
    }

    private static Map<String, Object> without(Map<String, Object> all, Predicate<String> foreign) {
        Map<String, Object> own = new HashMap<>(all);
        own.keySet().removeIf(foreign);
        return own;
    }

    @Override
    public @Nullable Origin getOrigin(String key) {
        return containsProperty(key) ? OriginLookup.getOrigin(all, key) : null;
    }
}
