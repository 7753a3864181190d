package io.sluice.node.config;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.rules.watch.ContentRefusedException;
import io.sluice.rules.watch.FileWatch;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
 * Looks at the configuration twice a second and hands on what it says of the gateway: a change is in force within 2 s. Safe for use by
 * many threads.
 *
 * <p>Watched as {@link FileWatch} says. A bad configuration is judged again at every look: it may be bad because a file that it names is
 * not there yet. The authorities of upstreams count as part of it; other files that it names are watched where they are used.
 */
public final class ConfigWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConfigWatch.class);

    private final Path file;
    private final FileWatch<Content> watch;
    private volatile List<String> unchangeable = List.of();

    /** The last configuration that could be understood, and the authorities that it names. Touched only by the looking thread. */
    private ByteBuffer understood;

    private Set<Path> named;

    /** Takes what a configuration says of the gateway. */
    @FunctionalInterface
    public interface Taker {

        /** Throws, and all is as before, if it cannot. Returns what is in force now, in a few words. */
        String take(GatewayConfig config) throws GatewayRefusedException;
    }

    /**
     * The configuration with the authorities that it names.
     *
     * @param authorities what each of them holds; empty if the configuration could not be understood
     */
    private record Content(ByteBuffer config, Map<Path, String> authorities) {}

    /**
     * A watch that begins to look.
     *
     * @param content what the file held when the node was started with it
     * @param begun the same, understood
     */
    ConfigWatch(Path file, byte[] content, ConfigFile begun, Taker taker, Looks looks) {
        this.file = file;
        this.understood = ByteBuffer.wrap(content);
        this.named = authorities(begun);
        Content first = new Content(understood, contents(named));
        this.watch = FileWatch.begin(file.toString(), first, this::read, new InForce(begun, taker), looks);
    }

    /** Looks on a daemon thread of its own. */
    public static ConfigWatch open(Path file, byte[] content, ConfigFile begun, Taker taker, Clock clock) {
        return new ConfigWatch(file, content, begun, taker, Looks.onThread("sluice-config-file", clock, Looks.OFTEN));
    }

    /** What is wrong with the file as it is now, in sentences. */
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

    /** The bytes of a file; more than a document may have is cut off, and then refused. */
    public static byte[] content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
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
        } catch (IOException e) {
            throw new ContentRefusedException(file + ": file: unreadable (expected: a file this user may read)");
        }
    }

    private static Set<Path> authorities(ConfigFile config) {
        return config.gateway().map(GatewayConfig::authorityFiles).orElse(Set.of());
    }

    /** One that cannot be read is as good as changed: judging tells what is wrong with it. */
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

    /** Puts a configuration in force, and says so. */
    private final class InForce implements FileWatch.Follower<Content> {

        private final ConfigFile begun;
        private final Taker taker;
        private String summary = "as it began";

        InForce(ConfigFile begun, Taker taker) {
            this.begun = begun;
            this.taker = taker;
        }

        @Override
        public void take(Content content) throws ContentRefusedException {
            try {
                ConfigFile next = understood(file, content.config);
                if (next.gateway().isEmpty()) {
                    throw new ContentRefusedException(file + ": routes: missing (expected: a list; [] is one, too)");
                }
                summary = taker.take(next.gateway().get());
                LOG.info("config changed, in force: {}", summary);
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
            LOG.info("config good again, in force: {}", summary);
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
        return "config: " + String.join(", ", fixed) + " changed, which is in force after a restart";
    }
}
