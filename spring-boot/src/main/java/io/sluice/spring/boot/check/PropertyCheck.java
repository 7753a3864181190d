package io.sluice.spring.boot.check;

import io.sluice.spring.boot.store.SluiceStartException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ReflectionUtils;

/**
 * Finds unknown properties under {@code sluice}.
 *
 * <p>Environment variables and system properties may belong to another program, such as Sluice's own command line, which reads {@code
 * SLUICE_REDIS}. So an unknown variable is not an error; it is logged if it is similar to a known variable. A renamed variable is an error.
 */
final class PropertyCheck {

    private static final Logger LOG = LoggerFactory.getLogger(PropertyCheck.class);
    private static final ConfigurationPropertyName SLUICE = ConfigurationPropertyName.of("sluice");
    private static final Set<String> OF_THE_PROCESS = Set.of(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

    private final KnownProperties known = new KnownProperties();
    private final Set<String> errors = new TreeSet<>();

    /** Hides environment variables that Spring Boot would take for the value of a whole group of properties. */
    void hideForeignVariables(ConfigurableEnvironment environment) {
        String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        if (environment.getPropertySources().get(name) instanceof SystemEnvironmentPropertySource all
                && Arrays.stream(all.getPropertyNames()).anyMatch(this::isForeign)
                && !isPrefixed(all)) {
            environment.getPropertySources().replace(name, new OwnVariables(all, this::isForeign));
        }
    }

    /**
     * Returns whether the variables have a prefix: then Spring Boot reads no variable that begins with {@code SLUICE_}. Boot 3 and 4 have
     * no common type for such a source.
     */
    private static boolean isPrefixed(PropertySource<?> source) {
        Method prefix = ReflectionUtils.findMethod(source.getClass(), "getPrefix");
        if (prefix == null) {
            return false;
        }
        ReflectionUtils.makeAccessible(prefix);
        return ReflectionUtils.invokeMethod(prefix, source) != null;
    }

    private boolean isForeign(String variable) {
        return isOfSluice(variable) && known.isGroup(variable);
    }

    private static boolean isOfSluice(String name) {
        return name.toLowerCase(Locale.ROOT).matches("sluice[._].+");
    }

    /** @throws SluiceStartException if there are unknown or renamed properties */
    void check(ConfigurableEnvironment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getUnderlyingSource() instanceof EnumerablePropertySource<?> shared
                    && OF_THE_PROCESS.contains(shared.getName())) {
                checkProcess(shared);
            } else if (source instanceof IterableConfigurationPropertySource listed) {
                listed.stream().filter(SLUICE::isAncestorOf).forEach(name -> check(name, listed));
            }
        }
        if (!errors.isEmpty()) {
            throw new SluiceStartException(
                    "There are properties that Sluice does not know:\n\n"
                            + String.join("\n", errors).indent(4),
                    "Correct or remove them. The prefix sluice belongs to Sluice; choose another one for properties of"
                            + " your own.");
        }
    }

    private void check(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        if (!known.contains(name)) {
            errors.add(RenamedProperty.nowOf(name.toString())
                    .map(now -> name + ": renamed (expected: " + now + ")" + place(name, source))
                    .orElseGet(
                            () -> name + ": unknown (expected: " + known.nearest(name) + "?)" + place(name, source)));
        }
    }

    private void checkProcess(EnumerablePropertySource<?> source) {
        for (String name : source.getPropertyNames()) {
            if (isOfSluice(name) && !known.canBeSetBy(name)) {
                Optional<String> now = RenamedProperty.nowOf(name);
                if (now.isPresent()) {
                    errors.add(name + ": renamed (expected: " + now.get() + "), in " + source.getName());
                } else {
                    known.similarVariable(name)
                            .ifPresent(similar -> LOG.warn(
                                    "{} in {} sets no property (expected: {}?)", name, source.getName(), similar));
                }
            }
        }
    }

    private static String place(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        Origin origin = property == null ? null : property.getOrigin();
        if (origin != null) {
            return ", at " + origin;
        }
        return source.getUnderlyingSource() instanceof PropertySource<?> plain ? ", in " + plain.getName() : "";
    }
}
