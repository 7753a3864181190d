package io.sluice.node.config;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.rules.watch.ContentRefusedException;
import io.sluice.rules.watch.FileWatch;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.watch.RegularFile;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the configuration twice a second and passes on changes of the gateway's part. A change is in force within 2 s.
 * Thread-safe.
 *
 * <p>Works as described in {@link FileWatch}. A bad configuration is judged again at every poll, because it may be bad only until a file
 * that it names exists. The CA files of upstreams count as part of the configuration; other named files are watched by the code that uses
 * them.
 */
public final class ConfigWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConfigWatch.class);

    private final Path file;
    private final FileWatch<Content> watch;
    private volatile List<String> unchangeable = List.of();

    /** The last configuration without errors, and the CA files that it names. Used only by the polling thread. */
    private ByteBuffer understood;

    private Set<Path> named;

    /** Receives the gateway's part of a configuration. */
    @FunctionalInterface
    public interface Taker {

        /** Puts the configuration in force and returns a short summary. Throws and changes nothing if that is impossible. */
        String take(GatewayConfig config) throws GatewayRefusedException;
    }

    /**
     * The configuration and the CA files that it names.
     *
     * @param authorities the content of each CA file; empty if the configuration has errors
     */
    private record Content(ByteBuffer config, Map<Path, String> authorities) {}

    /**
     * Starts polling.
     *
     * @param content the content of the file when the node started with it
     * @param begun the configuration as read from this content
     */
    ConfigWatch(Path file, byte[] content, ConfigFile begun, Taker taker, Looks looks) {
        this.file = file;
        this.understood = ByteBuffer.wrap(content);
        this.named = authorities(begun);
        Content first = new Content(understood, contents(named));
        this.watch = FileWatch.begin(file.toString(), first, this::read, new InForce(begun, taker), looks);
    }

    /** Starts polling on a dedicated daemon thread. */
    public static ConfigWatch open(Path file, byte[] content, ConfigFile begun, Taker taker, Clock clock) {
        return new ConfigWatch(file, content, begun, taker, Looks.onThread("sluice-config-file", clock, Looks.OFTEN));
    }

    /** Returns the problems of the current file, as sentences. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<String> errors = watch.refused();
        if (!errors.isEmpty()) {
            findings.add("config refused, the last good one stays in force: " + first(errors));
        }
        List<String> fixed = unchangeable;
        if (!fixed.isEmpty()) {
            findings.add(needsRestart(fixed));
        }
        return findings;
    }

    @Override
    public void close() {
        watch.close();
    }

    /** Returns the bytes of a file. A file that exceeds the maximum size of a document is cut off, and refused later. */
    public static byte[] content(Path file) throws IOException {
        try (InputStream in = RegularFile.open(file)) {
            return in.readNBytes(YamlReader.MOST_CHARACTERS + 1);
        }
    }

    public static ConfigFile understood(Path file, byte[] content) throws ConfigRefusedException {
        return understood(file, ByteBuffer.wrap(content));
    }

    private static ConfigFile understood(Path file, ByteBuffer content) throws ConfigRefusedException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(content.duplicate())
                    .toString();
            return ConfigFile.parse(file, text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (CharacterCodingException e) {
            throw new ConfigRefusedException(
                    List.of(DocumentError.of(file.toString(), "encoding: not UTF-8 (expected: UTF-8)")));
        }
    }

    private Content read(Content last) throws ContentRefusedException {
        try {
            ByteBuffer config = ByteBuffer.wrap(content(file));
            if (!config.equals(understood)) {
                try {
                    named = authorities(understood(file, config));
                    understood = config;
                } catch (ConfigRefusedException e) {
                    return new Content(config, Map.of());
                }
            }
            return new Content(config, contents(named));
        } catch (NoSuchFileException e) {
            throw new ContentRefusedException(file + ": file: missing (expected: settings in YAML)");
        } catch (RegularFile.OtherKindException e) {
            throw new ContentRefusedException(file + ": file: " + e.getMessage());
        } catch (IOException e) {
            throw new ContentRefusedException(file + ": file: unreadable (expected: a file this user may read)");
        }
    }

    private static Set<Path> authorities(ConfigFile config) {
        return config.gateway().map(GatewayConfig::authorityFiles).orElse(Set.of());
    }

    /** A file that cannot be read counts as changed; reading the configuration then reports the error. */
    private static Map<Path, String> contents(Set<Path> files) {
        Map<Path, String> contents = new HashMap<>();
        for (Path each : files) {
            try {
                contents.put(each, new String(content(each), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                contents.put(each, "unreadable");
            }
        }
        return contents;
    }

    /** Puts a configuration in force and logs it. */
    private final class InForce implements FileWatch.Follower<Content> {

        private final ConfigFile begun;
        private final Taker taker;
        private String summary = "as at startup";

        InForce(ConfigFile begun, Taker taker) {
            this.begun = begun;
            this.taker = taker;
        }

        @Override
        public void take(Content content) throws ContentRefusedException {
            try {
                ConfigFile next = understood(file, content.config);
                if (next.gateway().isEmpty()) {
                    throw new ContentRefusedException(file + ": routes: missing (expected: a list; [] is allowed)");
                }
                summary = taker.take(next.gateway().get());
                LOG.info("config changed, now in force: {}", summary);
                warn(next.fixedChanges(begun));
            } catch (ConfigRefusedException e) {
                throw new ContentRefusedException(
                        e.errors().stream().map(Object::toString).toList());
            } catch (GatewayRefusedException e) {
                throw new ContentRefusedException(file + ": " + e.getMessage());
            }
        }

        @Override
        public void refuse(List<String> reasons) {
            LOG.warn("config refused, the last good one stays in force: {}", first(reasons));
        }

        @Override
        public void settle() {
            LOG.info("config valid again, in force: {}", summary);
        }

        @Override
        public boolean judgesAgain() {
            return true;
        }
    }

    private void warn(List<String> fixed) {
        if (!fixed.isEmpty() && !fixed.equals(unchangeable)) {
            LOG.warn(needsRestart(fixed));
        }
        unchangeable = fixed;
    }

    private static String first(List<String> errors) {
        return errors.get(0) + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    private static String needsRestart(List<String> fixed) {
        return "config: " + String.join(", ", fixed) + " changed; this takes effect after a restart";
    }
}
