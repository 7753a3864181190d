package io.sluice.cli;

import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The flags that nodes and centers share. A value that is not on the command line comes from a system property or environment
 * variable ({@link Surroundings}), then from {@code --config}, then from the defaults.
 */
abstract class CommonOptions {

    private static final int HIGHEST_PORT = 65_535;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "settings in YAML; flags take precedence. Changed routes take effect within 2 s")
    @Nullable
    Path config;

    @Option(
            names = "--redis",
            paramLabel = "URI",
            description = "the nodes' shared store: redis://, rediss://, redis-sentinel:// or redis-cluster://; without"
                    + " it, counts stay in the process")
    @Nullable
    String redis;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "directory for a node's last good rules, used at startup if the rules are invalid or"
                    + " unavailable, and for a center's database, token and backups (default of start and center:"
                    + " data)")
    @Nullable
    Path data;

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            converter = FormatConverter.class,
            description = "json, text, or auto: text on a terminal, otherwise json (default: auto)")
    Logs.Format logFormat = Logs.Format.AUTO;

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            converter = DetailConverter.class,
            description = "error, warn, info, debug or trace (default: info); libraries log only warnings and errors")
    Logs.Detail logLevel = Logs.Detail.INFO;

    /** Returns the settings of {@code --config}. */
    final ConfigFile file() throws ConfigRefusedException {
        file(spec, "--config", config, "settings in YAML");
        return config == null ? ConfigFile.NONE : ConfigFile.read(config);
    }

    final void warn(String line) {
        spec.commandLine().getErr().println("sluice: warning: " + line);
    }

    /** Refuses a file that does not exist. */
    static void file(CommandSpec spec, String name, @Nullable Path file, String expected) {
        if (file != null && Files.notExists(file)) {
            throw new ParameterException(
                    spec.commandLine(), name + ": " + file + ": missing (expected: " + expected + ")");
        }
    }

    /** Refuses an empty address. */
    static void address(CommandSpec spec, String name, @Nullable String address) {
        if (address != null && address.isBlank()) {
            throw new ParameterException(
                    spec.commandLine(), name + ": empty (expected: an address such as 127.0.0.1 or 0.0.0.0)");
        }
    }

    /** Refuses a number that is not a port. */
    static void port(CommandSpec spec, String name, @Nullable Integer port) {
        if (port != null && (port < 0 || port > HIGHEST_PORT)) {
            throw new ParameterException(
                    spec.commandLine(), name + ": " + port + " (expected: 0.." + HIGHEST_PORT + ")");
        }
    }

    /** Returns the constant with this name, ignoring case. */
    private static <E extends Enum<E>> E word(Class<E> type, String text) {
        for (E each : type.getEnumConstants()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(text.toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        throw new TypeConversionException(text + " (expected: "
                + Arrays.stream(type.getEnumConstants())
                        .map(each -> each.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "))
                + ")");
    }

    static final class FormatConverter implements ITypeConverter<Logs.Format> {
        @Override
        public Logs.Format convert(String text) {
            return word(Logs.Format.class, text);
        }
    }

    static final class DetailConverter implements ITypeConverter<Logs.Detail> {
        @Override
        public Logs.Detail convert(String text) {
            return word(Logs.Detail.class, text);
        }
    }
}
