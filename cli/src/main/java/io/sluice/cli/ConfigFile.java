package io.sluice.cli;

import io.sluice.node.GrpcSettings;
import io.sluice.rules.KeySecret;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file of {@code --config}. Paths in it are relative to it.
 *
 * @param notBuilt the sections it has that do nothing yet
 */
record ConfigFile(
        Optional<String> redisUri,
        Optional<String> redisPrefix,
        Optional<String> hashTag,
        Optional<Path> rulesPath,
        Optional<KeySecret> hashKey,
        Optional<Integer> ipv6Prefix,
        Optional<GrpcSettings.Tls> tls,
        boolean countsLikeTheReference,
        List<String> notBuilt) {

    private static final List<String> SECTIONS = List.of("redis", "rules", "client", "grpc", "envoy", "auth", "routes");
    private static final List<String> NOT_BUILT = List.of("auth", "routes");
    private static final List<String> CLIENT_NOT_BUILT = List.of("trusted_proxies", "headers");
    /** Whether it is the way of the reference service. */
    private static final Map<String, Boolean> COUNTING = Map.of("together", false, "reference", true);

    private static final int LARGEST_KEY = 4_096;
    static final ConfigFile NONE = new ConfigFile(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            List.of());

    /** Reads the file, or throws with all that is wrong with it. */
    static ConfigFile read(Path file) throws RefusedException {
        Errors errors = new Errors(file.toString());
        ConfigFile config = errors.within(() -> text(file, errors)
                        .flatMap(text -> YamlReader.read(file.toString(), text, errors))
                        .flatMap(root -> Fields.of("config", root, SECTIONS, errors))
                        .map(root -> config(file, root, errors))
                        .orElse(NONE))
                .orElse(NONE);
        if (!errors.isEmpty()) {
            throw new RefusedException(errors.list());
        }
        return config;
    }

    private static ConfigFile config(Path file, Fields root, Errors errors) {
        Optional<Fields> redis = section(root, "redis", List.of("uri", "prefix", "hash_tag"), errors);
        Optional<Fields> rules = section(root, "rules", List.of("path", "hash_key_file"), errors);
        List<String> notBuilt =
                new ArrayList<>(NOT_BUILT.stream().filter(root::has).toList());
        Optional<Fields> client = section(root, "client", List.of("trusted_proxies", "headers", "ipv6_prefix"), errors);
        client.ifPresent(fields ->
                CLIENT_NOT_BUILT.stream().filter(fields::has).forEach(name -> notBuilt.add("client." + name)));
        return new ConfigFile(
                redis.flatMap(fields -> fields.text("uri")),
                redis.flatMap(fields -> fields.text("prefix")),
                redis.flatMap(fields -> fields.text("hash_tag")),
                rules.flatMap(fields -> fields.text("path")).map(path -> beside(file, path)),
                rules.flatMap(fields -> fields.read("hash_key_file", path -> hashKey(beside(file, path)))),
                client.flatMap(fields -> fields.whole("ipv6_prefix", 1, 128)).map(Long::intValue),
                section(root, "grpc", List.of("tls"), errors)
                        .flatMap(fields -> fields.fields("tls", List.of("cert", "key", "client_ca")))
                        .flatMap(fields -> tls(file, fields)),
                section(root, "envoy", List.of("count"), errors)
                        .flatMap(fields -> fields.choice("count", COUNTING))
                        .orElse(false),
                List.copyOf(notBuilt));
    }

    private static Optional<GrpcSettings.Tls> tls(Path file, Fields fields) {
        for (String key : List.of("cert", "key")) {
            if (!fields.has(key)) {
                fields.error(key, key + ": missing (expected: a file in PEM)");
            }
        }
        Optional<Path> key = fields.text("key").map(path -> beside(file, path));
        Optional<Path> clientCa = fields.text("client_ca").map(path -> beside(file, path));
        return fields.text("cert")
                .map(path -> beside(file, path))
                .flatMap(cert -> key.map(its -> new GrpcSettings.Tls(cert, its, clientCa)));
    }

    private static Path beside(Path file, String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    /** The bytes of the file without what editors leave at its end. The message never shows any of them. */
    private static KeySecret hashKey(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(LARGEST_KEY);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "hash_key_file: unreadable (expected: a file this user may read, 16 bytes or more)", e);
        }
        int length = bytes.length;
        while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
            length--;
        }
        return KeySecret.of(Arrays.copyOf(bytes, length));
    }

    private static Optional<Fields> section(Fields root, String name, List<String> known, Errors errors) {
        return root.value(name).flatMap(value -> Fields.of(name, value, known, errors));
    }

    private static Optional<String> text(Path file, Errors errors) {
        try {
            return Optional.of(Files.readString(file));
        } catch (NoSuchFileException e) {
            errors.add(Place.START, "file: missing (expected: settings in YAML)");
        } catch (CharacterCodingException e) {
            errors.add(Place.START, "encoding: not UTF-8 (expected: UTF-8)");
        } catch (IOException e) {
            errors.add(Place.START, "file: unreadable (expected: a file this user may read)");
        }
        return Optional.empty();
    }

    /** The file has errors. */
    static final class RefusedException extends Exception {

        private static final long serialVersionUID = 1;

        private final transient List<DocumentError> errors;

        RefusedException(List<DocumentError> errors) {
            super("config: " + errors.size() + (errors.size() == 1 ? " error" : " errors") + " (expected: none)");
            this.errors = errors;
        }

        List<DocumentError> errors() {
            return errors;
        }
    }
}
