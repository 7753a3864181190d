package io.sluice.node.config;

import io.sluice.redis.RedisUri;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.runtime.center.CenterAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The configuration of a node. Immutable.
 *
 * @param rules the source of the rules
 * @param redisUri the shared store; without one, the node counts in process
 * @param redisPrefix the prefix of all names in the store
 * @param api the address of the decision API, and the access to it
 * @param hashKey the key of {@code privacy: hash}, needed only for that; must be the same on all nodes that share a store
 * @param ipv6Prefix the number of bits of an IPv6 address that distinguish callers
 * @param hashTag an attribute; all counts with the same value of it share a slot of a Redis Cluster. Without it, each count has its own
 *     slot
 * @param data the directory for data that the node needs at its next start, such as the rules in force; without it, nothing is kept
 * @param grpc the settings for Envoy over gRPC; without them, only {@code POST /json} serves that protocol
 * @param gateway the gateway; without it, there is none
 * @param doors the sections of further doors, by their names
 * @param xRateLimitHeaders whether answers also carry {@code X-RateLimit-*}
 * @param defaultLimit the limit of every address while there are no rules; without it, every request is allowed then
 * @param openMetrics whether {@code /metrics} needs no token
 * @param insecure whether the decision API and the service for Envoy may serve other machines without any authentication
 * @param center the center to which the node reports over HTTP; without one, a node with rules from Redis reports through Redis
 * @param decisions the settings of the decision log
 * @param telemetry the destination of traces and metrics
 * @param recording the settings for recording all decisions; without them, nothing is recorded
 * @param stopDelay the time for which a stopping node keeps its ports open while its health is already 503
 */
public record NodeConfig(
        RulesFrom rules,
        Optional<String> redisUri,
        String redisPrefix,
        DoorSettings api,
        Optional<KeySecret> hashKey,
        int ipv6Prefix,
        Optional<String> hashTag,
        Optional<Path> data,
        Optional<GrpcSettings> grpc,
        Optional<Gateway> gateway,
        Map<String, DoorSection> doors,
        boolean xRateLimitHeaders,
        Optional<DefaultLimit> defaultLimit,
        boolean openMetrics,
        boolean insecure,
        Optional<CenterAddress> center,
        DecisionLogSettings decisions,
        TelemetrySettings telemetry,
        Optional<RecordingSettings> recording,
        Duration stopDelay) {

    public static final String DEFAULT_PREFIX = "rate_limit";
    public static final String LOOPBACK = "127.0.0.1";

    public static final Duration LONGEST_STOP_DELAY = Duration.ofHours(1);

    public NodeConfig {
        doors = Map.copyOf(doors);
        if (rules instanceof RulesFrom.Store && redisUri.isEmpty()) {
            throw new IllegalArgumentException("redis: none (expected: a URI, because the rules come from Redis)");
        }
        if (rules instanceof RulesFrom.Center && center.isEmpty()) {
            throw new IllegalArgumentException("center: none (expected: a URL, because the rules come from a center)");
        }
        if (stopDelay.isNegative() || stopDelay.compareTo(LONGEST_STOP_DELAY) > 0) {
            throw new IllegalArgumentException("stop delay: " + stopDelay + " (expected: 0 to 1h, such as 5s)");
        }
        redisUri.ifPresent(RedisUri::checked);
        data.ifPresent(NodeConfig::checkFolder);
        if (!insecure) {
            refuseExposed("api", api);
            grpc.ifPresent(settings -> refuseExposed("grpc", settings.door()));
        }
        if (redisPrefix.isBlank()) {
            throw new IllegalArgumentException("redis prefix: empty (expected: a word such as rate_limit)");
        }
        if (redisPrefix.indexOf('{') >= 0
                && redisUri.filter(NodeConfig::isCluster).isPresent()) {
            throw new IllegalArgumentException("redis prefix: " + redisPrefix
                    + " (expected: no braces, which would put all counts into one slot)");
        }
    }

    /** A node on the loopback address that counts in process and does not serve gRPC. */
    public static NodeConfig inProcess(RulesFrom rules, int apiPort) {
        return new Draft(rules, DoorSettings.onLoopback(apiPort)).config();
    }

    public NodeConfig withRules(RulesFrom from) {
        return with(draft -> draft.rules = from);
    }

    public NodeConfig withRedis(String uri) {
        return with(draft -> draft.redisUri = Optional.of(uri));
    }

    public NodeConfig withRedisPrefix(String prefix) {
        return with(draft -> draft.redisPrefix = prefix);
    }

    public NodeConfig withApi(DoorSettings settings) {
        return with(draft -> draft.api = settings);
    }

    public NodeConfig withHashKey(KeySecret key) {
        return with(draft -> draft.hashKey = Optional.of(key));
    }

    public NodeConfig withIpv6Prefix(int bits) {
        return with(draft -> draft.ipv6Prefix = bits);
    }

    public NodeConfig withHashTag(String attribute) {
        return with(draft -> draft.hashTag = Optional.of(attribute));
    }

    public NodeConfig withData(Path folder) {
        return with(draft -> draft.data = Optional.of(folder));
    }

    public NodeConfig withGrpc(GrpcSettings settings) {
        return with(draft -> draft.grpc = Optional.of(settings));
    }

    public NodeConfig withGateway(int port, RoutesFrom routes) {
        return with(draft -> draft.gateway = Optional.of(new Gateway(LOOPBACK, port, routes)));
    }

    /** Returns the same configuration with other routes, if there is a gateway. */
    public NodeConfig withRoutes(RoutesFrom routes) {
        return with(draft -> draft.gateway = draft.gateway.map(each -> new Gateway(each.host(), each.port(), routes)));
    }

    public NodeConfig withDoors(Map<String, DoorSection> sections) {
        return with(draft -> draft.doors = sections);
    }

    public NodeConfig withXRateLimitHeaders() {
        return with(draft -> draft.xRateLimitHeaders = true);
    }

    public NodeConfig withOpenMetrics() {
        return with(draft -> draft.openMetrics = true);
    }

    public NodeConfig withInsecureApi() {
        return with(draft -> draft.insecure = true);
    }

    public NodeConfig withDefaultLimit(String rate) {
        return with(draft -> draft.defaultLimit = Optional.of(new DefaultLimit(rate)));
    }

    public NodeConfig withCenter(CenterAddress address) {
        return with(draft -> draft.center = Optional.of(address));
    }

    public NodeConfig withDecisions(DecisionLogSettings settings) {
        return with(draft -> draft.decisions = settings);
    }

    public NodeConfig withTelemetry(TelemetrySettings settings) {
        return with(draft -> draft.telemetry = settings);
    }

    public NodeConfig withRecording(RecordingSettings settings) {
        return with(draft -> draft.recording = Optional.of(settings));
    }

    public NodeConfig withStopDelay(Duration delay) {
        return with(draft -> draft.stopDelay = delay);
    }

    private NodeConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.config();
    }

    private static boolean isCluster(String uri) {
        return uri.startsWith("redis-cluster:") || uri.startsWith("rediss-cluster:");
    }

    /** Returns the settings that turn callers into keys. Without a configured hash key, the node uses a random key. */
    public KeySettings keyForm() {
        return new KeySettings(hashKey.orElseGet(KeySecret::random), ipv6Prefix, hashTag);
    }

    /** Returns the settings that turn callers into keys, with this secret if no hash key is configured. */
    public KeySettings keyForm(KeySecret otherwise) {
        return new KeySettings(hashKey.orElse(otherwise), ipv6Prefix, hashTag);
    }

    /** The directory need not exist yet, but no other file may be in its place. */
    private static void checkFolder(Path folder) {
        for (Path each = folder.toAbsolutePath(); each != null; each = each.getParent()) {
            if (Files.exists(each)) {
                if (!Files.isDirectory(each)) {
                    throw new IllegalArgumentException(
                            "data: " + each + " is not a directory (expected: a directory, which need not exist yet)");
                }
                return;
            }
        }
    }

    private static void refuseExposed(String name, DoorSettings door) {
        if (door.isExposed()) {
            throw new ExposedDoorException("--" + name + "-bind: " + door.host()
                    + " is reachable from other machines, and callers need neither a token nor a certificate"
                    + " (expected: --api-token-file FILE, or " + name + ".tls.client_ca in --config, or 127.0.0.1;"
                    + " --insecure-api serves everybody)");
        }
    }

    /**
     * A gateway.
     *
     * @param host the address to listen on
     * @param port the port; 0 takes any free port
     */
    public record Gateway(String host, int port, RoutesFrom routes) {
        public Gateway {
            DoorSettings.checkHost("gateway bind", host);
            DoorSettings.checkPort("gateway port", port);
        }
    }

    /** The source of the gateway's routes. */
    public sealed interface RoutesFrom {

        /** The file of {@code --config}, watched for changes. */
        record File(Path path) implements RoutesFrom {}

        /**
         * Sample routes to a sample server in the same process.
         *
         * @param file the routes, with {@code UPSTREAM} for the address of the server; empty for the routes that come with the program
         */
        record Sample(Optional<Path> file) implements RoutesFrom {

            public Sample() {
                this(Optional.empty());
            }
        }
    }

    /** The source of the rules. */
    public sealed interface RulesFrom {

        /** A file, or a directory of files, watched for changes. */
        record File(Path path) implements RulesFrom {}

        /** A fixed document that comes with the program. */
        record Text(String name, String text) implements RulesFrom {}

        /** The configured Redis: the rules that a center released, or the founding hashes. */
        record Store() implements RulesFrom {}

        /** The configured center, over HTTP. */
        record Center() implements RulesFrom {}

        /** No rules; the default limit applies or, without one, every request is allowed. */
        record Nowhere() implements RulesFrom {}
    }

    /** A mutable configuration that starts with the defaults. */
    private static final class Draft {
        private RulesFrom rules;
        private Optional<String> redisUri = Optional.empty();
        private String redisPrefix = DEFAULT_PREFIX;
        private DoorSettings api;
        private Optional<KeySecret> hashKey = Optional.empty();
        private int ipv6Prefix = KeySettings.DEFAULT_IPV6_PREFIX;
        private Optional<String> hashTag = Optional.empty();
        private Optional<Path> data = Optional.empty();
        private Optional<GrpcSettings> grpc = Optional.empty();
        private Optional<Gateway> gateway = Optional.empty();
        private Map<String, DoorSection> doors = Map.of();
        private boolean xRateLimitHeaders;
        private Optional<DefaultLimit> defaultLimit = Optional.empty();
        private boolean openMetrics;
        private boolean insecure;
        private Optional<CenterAddress> center = Optional.empty();
        private DecisionLogSettings decisions = DecisionLogSettings.NONE;
        private TelemetrySettings telemetry = TelemetrySettings.NONE;
        private Optional<RecordingSettings> recording = Optional.empty();
        private Duration stopDelay = Duration.ZERO;

        Draft(RulesFrom rules, DoorSettings api) {
            this.rules = rules;
            this.api = api;
        }

        Draft(NodeConfig config) {
            this(config.rules, config.api);
            redisUri = config.redisUri;
            redisPrefix = config.redisPrefix;
            hashKey = config.hashKey;
            ipv6Prefix = config.ipv6Prefix;
            hashTag = config.hashTag;
            data = config.data;
            grpc = config.grpc;
            gateway = config.gateway;
            doors = config.doors;
            xRateLimitHeaders = config.xRateLimitHeaders;
            defaultLimit = config.defaultLimit;
            openMetrics = config.openMetrics;
            insecure = config.insecure;
            center = config.center;
            decisions = config.decisions;
            telemetry = config.telemetry;
            recording = config.recording;
            stopDelay = config.stopDelay;
        }

        NodeConfig config() {
            return new NodeConfig(
                    rules,
                    redisUri,
                    redisPrefix,
                    api,
                    hashKey,
                    ipv6Prefix,
                    hashTag,
                    data,
                    grpc,
                    gateway,
                    doors,
                    xRateLimitHeaders,
                    defaultLimit,
                    openMetrics,
                    insecure,
                    center,
                    decisions,
                    telemetry,
                    recording,
                    stopDelay);
        }
    }
}
