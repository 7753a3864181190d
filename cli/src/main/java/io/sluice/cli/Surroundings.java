package io.sluice.cli;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Reads options that are not on the command line from system properties and environment variables: {@code --api-port} from the
 * property {@code sluice.api-port}, otherwise from the variable {@code SLUICE_API_PORT}.
 */
final class Surroundings implements IDefaultValueProvider {

    private final Map<String, String> environment;
    private final Properties properties;

    Surroundings(Map<String, String> environment, Properties properties) {
        this.environment = environment;
        this.properties = properties;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)
                || option.arity().max() == 0
                || !option.longestName().startsWith("--")) {
            return null;
        }
        String name = option.longestName().substring(2);
        String property = properties.getProperty("sluice." + name);
        if (property != null && !property.isEmpty()) {
            return property;
        }
        String variable =
                environment.get("SLUICE_" + name.toUpperCase(Locale.ROOT).replace('-', '_'));
        return variable == null || variable.isEmpty() ? null : variable;
    }
}
