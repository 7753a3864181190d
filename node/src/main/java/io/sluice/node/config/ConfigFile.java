package io.sluice.node.config;

import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.redis.RedisUri;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.watch.RegularFile;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.runtime.HashKeyFile;
import io.sluice.runtime.center.CenterAddress;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The file of {@code --config}. Relative paths in it are resolved against its directory. Immutable.
 *
 * @param hashKeyFile the file from which the key was read
 * @param openMetrics whether {@code /metrics} needs no token
 * @param centerUrl the center of a node
 * @param centerAuthorities the certificate of that center, or of its authority
 * @param centerRole the settings of a center itself
 * @param gateway the gateway's configuration; empty without {@code routes}
 * @param doors the sections of further doors, by their names
 * @param decisions the settings of the decision log
 * @param telemetry the destination of traces and metrics
 * @param record the settings of the recording
 */
public record ConfigFile(
        Optional<String> redisUri,
        Optional<String> redisPrefix,
        Optional<String> hashTag,
        Optional<Path> rulesPath,
        Optional<Path> hashKeyFile,
        Optional<KeySecret> hashKey,
        Optional<DefaultLimit> defaultLimit,
        Optional<Integer> ipv6Prefix,
        DoorAccess api,
        DoorAccess grpc,
        boolean openMetrics,
        boolean countsLikeTheReference,
        Optional<String> centerUrl,
        Optional<Path> centerTokenFile,
        Optional<Path> centerAuthorities,
        CenterSection centerRole,
        Optional<GatewayConfig> gateway,
        Map<String, DoorSection> doors,
        DecisionLogSettings decisions,
        TelemetrySettings telemetry,
        RecordSection record) {

    private static final List<String> SECTIONS = List.of(
            "redis",
            "rules",
            "center",
            "client",
            "api",
            "grpc",
            "metrics",
            "envoy",
            "gateway",
            "auth",
            "services",
            "routes",
            "doors",
            "decisions",
            "telemetry",
            "record");
    /** Maps each way of counting to whether it is the reference service's way. */
    private static final Map<String, Boolean> COUNTING = new TreeMap<>(Map.of("together", false, "reference", true));

    /** Maps each access to the metrics to whether it is open. */
    private static final Map<String, Boolean> METRICS = new TreeMap<>(Map.of("token", false, "open", true));

    /** An empty configuration. */
    public static final ConfigFile NONE = new ConfigFile(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            DoorAccess.OPEN,
            DoorAccess.OPEN,
            false,
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            CenterSection.NONE,
            Optional.empty(),
            Map.of(),
            DecisionLogSettings.NONE,
            TelemetrySettings.NONE,
            RecordSection.NONE);

    /** Reads the file, or throws an exception with all its errors. */
    public static ConfigFile read(Path file) throws ConfigRefusedException {
        return read(file, errors -> text(file, errors));
    }

    /**
     * Reads the content of a file, or throws an exception with all its errors.
     *
     * @param file the name for errors, and the base of relative paths
     */
    public static ConfigFile parse(Path file, String text) throws ConfigRefusedException {
        return read(file, errors -> Optional.of(text));
    }

    private static ConfigFile read(Path file, Function<Errors, Optional<String>> content)
            throws ConfigRefusedException {
        Errors errors = new Errors(file.toString());
        ConfigFile config = errors.within(() -> content.apply(errors)
                        .flatMap(text -> YamlReader.read(file.toString(), text, errors))
                        .flatMap(root -> Fields.of("config", root, SECTIONS, errors))
                        .map(root -> config(file, root, errors))
                        .orElse(NONE))
                .orElse(NONE);
        if (!errors.isEmpty()) {
            throw new ConfigRefusedException(errors.list());
        }
        return config;
    }

    private static ConfigFile config(Path file, Fields root, Errors errors) {
        Optional<Fields> redis = section(root, "redis", List.of("uri", "prefix", "hash_tag"), errors);
        Optional<Fields> rules = section(root, "rules", List.of("path", "hash_key_file", "default_limit"), errors);
        Optional<Fields> center = section(root, "center", CenterSection.KEYS, errors);
        Optional<Fields> client = section(root, "client", List.of("trusted_proxies", "headers", "ipv6_prefix"), errors);
        return new ConfigFile(
                redis.flatMap(fields -> fields.read("uri", RedisUri::checked)),
                redis.flatMap(fields -> fields.text("prefix")),
                redis.flatMap(fields -> fields.text("hash_tag")),
                rules.flatMap(fields -> fields.text("path")).map(path -> beside(file, path)),
                rules.flatMap(fields -> fields.text("hash_key_file")).map(path -> beside(file, path)),
                rules.flatMap(fields -> fields.read("hash_key_file", path -> HashKeyFile.read(beside(file, path)))),
                rules.flatMap(fields -> fields.read("default_limit", DefaultLimit::new)),
                client.flatMap(fields -> fields.whole("ipv6_prefix", 1, 128)).map(Long::intValue),
                access(file, section(root, "api", List.of("tokens", "tls"), errors)),
                access(file, section(root, "grpc", List.of("tokens", "tls"), errors)),
                root.choice("metrics", METRICS).orElse(false),
                section(root, "envoy", List.of("count"), errors)
                        .flatMap(fields -> fields.choice("count", COUNTING))
                        .orElse(false),
                center.flatMap(fields -> fields.read("url", CenterAddress::checked)),
                center.flatMap(fields -> fields.text("token_file")).map(path -> beside(file, path)),
                center.flatMap(fields -> fields.text("ca")).map(path -> beside(file, path)),
                center.map(fields -> CenterSection.of(fields, path -> beside(file, path), errors))
                        .orElse(CenterSection.NONE),
                GatewayConfig.read(file, root, client, errors),
                doors(file, root),
                section(root, "decisions", DecisionLogSettings.KEYS, errors)
                        .map(fields -> DecisionLogSettings.of(fields, path -> beside(file, path), errors))
                        .orElse(DecisionLogSettings.NONE),
                section(root, "telemetry", TelemetrySettings.KEYS, errors)
                        .map(fields -> TelemetrySettings.of(fields, path -> beside(file, path), errors))
                        .orElse(TelemetrySettings.NONE),
                RecordSection.of(root, path -> beside(file, path), errors));
    }

    private static Map<String, DoorSection> doors(Path file, Fields root) {
        Map<String, DoorSection> doors = new TreeMap<>();
        root.entries("doors")
                .orElse(Map.of())
                .forEach((name, value) -> doors.put(name.text(), new DoorSection(file, name.text(), value)));
        return doors;
    }

    /** Returns the names of settings that differ from another configuration and cannot change while a node runs. */
    List<String> fixedChanges(ConfigFile before) {
        List<String> changes = new ArrayList<>();
        change(changes, "redis.uri", redisUri, before.redisUri);
        change(changes, "redis.prefix", redisPrefix, before.redisPrefix);
        change(changes, "redis.hash_tag", hashTag, before.hashTag);
        change(changes, "rules.path", rulesPath, before.rulesPath);
        change(changes, "rules.hash_key_file", hashKeyFile, before.hashKeyFile);
        change(changes, "rules.default_limit", defaultLimit, before.defaultLimit);
        change(changes, "center.url", centerUrl, before.centerUrl);
        change(changes, "center.token_file", centerTokenFile, before.centerTokenFile);
        change(changes, "center.ca", centerAuthorities, before.centerAuthorities);
        change(changes, "client.ipv6_prefix", ipv6Prefix, before.ipv6Prefix);
        change(changes, "api.tokens", api.tokens(), before.api.tokens());
        change(changes, "api.tls", api.tls(), before.api.tls());
        change(changes, "grpc.tokens", grpc.tokens(), before.grpc.tokens());
        change(changes, "grpc.tls", grpc.tls(), before.grpc.tls());
        change(changes, "metrics", openMetrics, before.openMetrics);
        change(changes, "doors", doors, before.doors);
        change(changes, "decisions", decisions, before.decisions);
        change(changes, "telemetry", telemetry, before.telemetry);
        change(changes, "record", record, before.record);
        change(changes, "envoy.count", countsLikeTheReference, before.countsLikeTheReference);
        gateway.ifPresent(now -> before.gateway.ifPresent(old -> changes.addAll(now.fixedChanges(old))));
        return changes;
    }

    private static void change(List<String> changes, String name, Object now, Object before) {
        if (!now.equals(before)) {
            changes.add(name);
        }
    }

    private static DoorAccess access(Path file, Optional<Fields> door) {
        return new DoorAccess(
                door.flatMap(fields -> fields.text("tokens")).map(path -> beside(file, path)),
                door.flatMap(fields -> fields.fields("tls", List.of("cert", "key", "client_ca")))
                        .flatMap(fields -> TlsFields.read(fields, path -> beside(file, path))));
    }

    private static Path beside(Path file, String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    private static Optional<Fields> section(Fields root, String name, List<String> known, Errors errors) {
        return root.value(name).flatMap(value -> Fields.of(name, value, known, errors));
    }

    private static Optional<String> text(Path file, Errors errors) {
        try {
            return Optional.of(RegularFile.text(file));
        } catch (NoSuchFileException e) {
            errors.add(Place.START, "file: missing (expected: settings in YAML)");
        } catch (CharacterCodingException e) {
            errors.add(Place.START, "encoding: not UTF-8 (expected: UTF-8)");
        } catch (IOException e) {
            errors.add(Place.START, "file: unreadable (expected: a file this user may read)");
        }
        return Optional.empty();
    }
}
