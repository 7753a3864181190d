package io.sluice.cli;

import io.sluice.node.config.NodeConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The flags that all roles share. A value that is not on the command line comes from a system property or environment variable
 * ({@link Surroundings}), then from {@code --config}, then from the defaults.
 */
final class RoleOptions {

    static final int DEFAULT_GATEWAY_PORT = 8080;
    static final int DEFAULT_GRPC_PORT = 8081;
    static final int DEFAULT_API_PORT = 8082;
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
            names = "--rules",
            paramLabel = "FILE-or-DIR",
            description = "a rule document, or a directory read as one rule set; changes take effect within 2 s."
                    + " Without it, rules come from --redis, or else from --center")
    @Nullable
    Path rules;

    @Option(
            names = "--redis",
            paramLabel = "URI",
            description = "shared store: redis://, rediss://, redis-sentinel:// or redis-cluster://; without it, counts"
                    + " stay in the process")
    @Nullable
    String redis;

    @Option(
            names = "--gateway-bind",
            paramLabel = "ADDRESS",
            description = "address of the gateway, the only port meant for the public (default: 127.0.0.1)")
    @Nullable
    String gatewayBind;

    @Option(
            names = "--api-bind",
            paramLabel = "ADDRESS",
            description = "address of the decision API; other addresses than loopback take tokens or client"
                    + " certificates (default: 127.0.0.1)")
    @Nullable
    String apiBind;

    @Option(
            names = "--grpc-bind",
            paramLabel = "ADDRESS",
            description = "address of the Envoy rate limit service; as --api-bind (default: 127.0.0.1)")
    @Nullable
    String grpcBind;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "deprecated: same as --gateway-bind")
    @Nullable
    String bind;

    @Option(
            names = "--api-token-file",
            paramLabel = "FILE",
            description = "bearer tokens of the decision API and the Envoy rate limit service, one per line; changes"
                    + " take effect within 2 s")
    @Nullable
    Path apiTokenFile;

    @Option(
            names = "--insecure-api",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "serve the decision API and the Envoy rate limit service to other machines without tokens or"
                    + " client certificates")
    boolean insecureApi;

    @Option(
            names = "--api-port",
            paramLabel = "PORT",
            description = "port of the decision API (default: 8082; 0: any free port)")
    @Nullable
    Integer apiPort;

    @Option(
            names = "--gateway-port",
            paramLabel = "PORT",
            description = "port of the gateway, if --config has routes (default: 8080; 0: any free port)")
    @Nullable
    Integer gatewayPort;

    @Option(
            names = "--grpc-port",
            paramLabel = "PORT",
            description = "port of the Envoy rate limit service (default: 8081; 0: any free port)")
    @Nullable
    Integer grpcPort;

    @Option(
            names = "--center",
            paramLabel = "URL",
            description = "the center that the node reports to, and reads rules from if neither --rules nor --redis is"
                    + " given: http://HOST:PORT or https://HOST:PORT")
    @Nullable
    String center;

    @Option(
            names = "--center-token-file",
            paramLabel = "FILE",
            description = "the node's token for the center; a new token takes effect at once")
    @Nullable
    Path centerTokenFile;

    @Option(
            names = "--center-port",
            paramLabel = "PORT",
            description = "port of the center (default: 8083; not built yet)")
    @Nullable
    Integer centerPort;

    @Option(names = "--db", paramLabel = "JDBC-URL", description = "the center's database (not built yet)")
    @Nullable
    String db;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "directory for the last good rules, used at startup if the rules are invalid or Redis is"
                    + " unavailable")
    @Nullable
    Path data;

    @Option(
            names = "--default-limit",
            paramLabel = "RATE",
            description =
                    "limit of every address while there are no rules, such as 50/s (default: none, every request is"
                            + " allowed then)")
    @Nullable
    String defaultLimit;

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

    @Option(
            names = "--x-ratelimit-headers",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "also send the headers X-RateLimit-Limit, -Remaining and -Reset")
    boolean xRateLimitHeaders;

    /** Refuses invalid addresses and ports, and prints a line for each given flag that is deprecated or has no effect yet. */
    void check() {
        address("--gateway-bind", gatewayBind);
        address("--api-bind", apiBind);
        address("--grpc-bind", grpcBind);
        address("--bind", bind);
        if (bind != null) {
            warn("--bind is deprecated and moves the gateway only; use --gateway-bind, --api-bind and --grpc-bind");
        }
        Map<String, @Nullable Object> idle = new LinkedHashMap<>();
        idle.put("--center-port", centerPort);
        idle.put("--db", db);
        port("--gateway-port", gatewayPort);
        port("--api-port", apiPort);
        port("--grpc-port", grpcPort);
        idle.forEach((name, value) -> {
            if (value instanceof Integer number) {
                port(name, number);
            }
            if (value != null) {
                spec.commandLine().getErr().println("sluice: note: " + name + " has no effect yet");
            }
        });
    }

    /** Returns the address of the gateway. */
    String gatewayAddress() {
        return Optional.ofNullable(gatewayBind)
                .or(() -> Optional.ofNullable(bind))
                .orElse(NodeConfig.LOOPBACK);
    }

    void warn(String line) {
        spec.commandLine().getErr().println("sluice: warning: " + line);
    }

    private void address(String name, @Nullable String address) {
        if (address != null && address.isBlank()) {
            throw new ParameterException(
                    spec.commandLine(), name + ": empty (expected: an address such as 127.0.0.1 or 0.0.0.0)");
        }
    }

    private void port(String name, @Nullable Integer port) {
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
