package io.sluice.cli;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.RecordSection;
import io.sluice.node.config.RecordingSettings;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of a node. */
final class RoleOptions extends CommonOptions {

    static final int DEFAULT_GATEWAY_PORT = 8080;
    static final int DEFAULT_GRPC_PORT = 8081;
    static final int DEFAULT_API_PORT = 8082;

    private static final Pattern ZERO = Pattern.compile("0(ms|s|m|h)?");

    @Option(
            names = "--rules",
            paramLabel = "FILE-or-DIR",
            description = "a rule document, or a directory read as one rule set; changes take effect within 2 s."
                    + " Without it, rules come from --redis, or else from --center")
    @Nullable
    Path rules;

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
            names = "--center-ca",
            paramLabel = "FILE",
            description = "PEM file with the certificate of the center or of its authority (default: the authorities of"
                    + " the JVM)")
    @Nullable
    Path centerAuthorities;

    @Option(
            names = "--default-limit",
            paramLabel = "RATE",
            description =
                    "limit of every address while there are no rules, such as 50/s (default: none, every request is"
                            + " allowed then)")
    @Nullable
    String defaultLimit;

    @Option(
            names = "--x-ratelimit-headers",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "also send the headers X-RateLimit-Limit, -Remaining and -Reset")
    boolean xRateLimitHeaders;

    @Option(
            names = "--record",
            paramLabel = "DIR",
            description =
                    "record every decision in this directory, which no other process may use, for ./sluice verify;"
                            + " callers are hashed (default: nothing is recorded)")
    @Nullable
    Path record;

    @Option(
            names = "--record-max-size",
            paramLabel = "SIZE",
            description = "size at which the next files of the recording begin, such as 64MB (default: 64MB)")
    @Nullable
    String recordMaxSize;

    @Option(
            names = "--record-max-age",
            paramLabel = "SPAN",
            description = "age at which the next files of the recording begin, such as 1h (default: 1h)")
    @Nullable
    String recordMaxAge;

    @Option(
            names = "--record-max-total",
            paramLabel = "SIZE",
            description = "size of all files of the recording; the oldest are deleted first (default: 1GB)")
    @Nullable
    String recordMaxTotal;

    @Option(
            names = "--stop-delay",
            paramLabel = "SPAN",
            description = "how long the ports stay open after SIGTERM while /health is already 503, so that load"
                    + " balancers leave first: 0 to 1h (default: 5s for node, 0 for start)")
    @Nullable
    String stopDelay;

    /** Returns the time that the ports stay open after a signal. */
    Duration stopDelay(Duration otherwise) {
        if (stopDelay == null || ZERO.matcher(stopDelay).matches()) {
            return stopDelay == null ? otherwise : Duration.ZERO;
        }
        Duration span = Spans.of(stopDelay);
        if (span.isZero() || span.compareTo(NodeConfig.LONGEST_STOP_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "--stop-delay: " + PrintableText.text(stopDelay) + " (expected: 0 to 1h, such as 5s)");
        }
        return span;
    }

    /** Returns the settings of the recording. */
    Optional<RecordingSettings> recording(RecordSection section) {
        return section.settings(
                Optional.ofNullable(record),
                Optional.ofNullable(recordMaxSize).map(text -> RecordSection.size("--record-max-size", text)),
                Optional.ofNullable(recordMaxAge).map(text -> RecordSection.age("--record-max-age", text)),
                Optional.ofNullable(recordMaxTotal).map(text -> RecordSection.total("--record-max-total", text)));
    }

    /** Refuses invalid addresses and ports, and prints a line for each given flag that is deprecated. */
    void check() {
        address(spec, "--gateway-bind", gatewayBind);
        address(spec, "--api-bind", apiBind);
        address(spec, "--grpc-bind", grpcBind);
        address(spec, "--bind", bind);
        if (bind != null) {
            warn("--bind is deprecated and moves the gateway only; use --gateway-bind, --api-bind and --grpc-bind");
        }
        file(spec, "--api-token-file", apiTokenFile, "a file with tokens, one on each line");
        file(spec, "--center-token-file", centerTokenFile, "a file with the token of the center");
        file(spec, "--center-ca", centerAuthorities, "a file in PEM");
        port(spec, "--gateway-port", gatewayPort);
        port(spec, "--api-port", apiPort);
        port(spec, "--grpc-port", grpcPort);
    }

    /** Returns the address of the gateway. */
    String gatewayAddress() {
        return Optional.ofNullable(gatewayBind)
                .or(() -> Optional.ofNullable(bind))
                .orElse(NodeConfig.LOOPBACK);
    }
}
