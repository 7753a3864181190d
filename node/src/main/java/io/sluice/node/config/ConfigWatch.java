package io.sluice.node.config;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the configuration twice a second and hands on what it says of the gateway: a change is in force within 2 s. Safe for use by
 * many threads.
 *
 * <p>As with rules, content counts and not time stamps, and a change is taken when two looks in a row see the same. A bad one changes
 * nothing, and is judged again at every look: it may be bad because a file that it names is not there yet. The authorities of upstreams
 * count as part of it; other files that it names are looked at by those who use them.
 */
public final class ConfigWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConfigWatch.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private final Path file;
    private final ConfigFile begun;
    private final Taker taker;
    private final Clock clock;
    private final Executor looking;
    private final Runnable stopLooking;
    private volatile boolean closed;
    private volatile List<String> refused = List.of();
    private volatile List<String> unchangeable = List.of();

    /** Touched only by the looking thread. */
    private byte[] judged;

    private byte[] seen;
    private Set<Path> named;
    private List<String> judgedNamed;
    private List<String> seenNamed;

    /** Takes what a configuration says of the gateway. */
    @FunctionalInterface
    public interface Taker {

        /** Throws, and all is as before, if it cannot. Returns what is in force now, in a few words. */
        String take(GatewayConfig config) throws GatewayRefusedException;
    }

    /**
     * A watch that begins to look.
     *
     * @param content what the file held when the node was started with it
     * @param begun the same, understood
     */
    ConfigWatch(
            Path file, byte[] content, ConfigFile begun, Taker taker, Clock clock, Executor looking, Runnable stop) {
        this.file = file;
        this.begun = begun;
        this.taker = taker;
        this.clock = clock;
        this.looking = looking;
        this.stopLooking = stop;
        this.judged = content;
        this.seen = content;
        this.named = begun.gateway().map(GatewayConfig::authorityFiles).orElse(Set.of());
        this.judgedNamed = contents(named);
        this.seenNamed = judgedNamed;
        lookLater();
    }

    /** Looks on a daemon thread of its own. */
    public static ConfigWatch open(Path file, byte[] content, ConfigFile begun, Taker taker, Clock clock) {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread looker = new Thread(task, "sluice-config-file");
            looker.setDaemon(true);
            return looker;
        });
        return new ConfigWatch(file, content, begun, taker, clock, thread, thread::shutdown);
    }

    /** What is wrong with the file as it is now, in sentences. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<String> errors = refused;
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
        closed = true;
        stopLooking.run();
    }

    /** The bytes of a file; more than a document may have is cut off, and then refused. */
    public static byte[] content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(YamlReader.MOST_CHARACTERS + 1);
        }
    }

    public static ConfigFile understood(Path file, byte[] content) throws ConfigRefusedException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
            return ConfigFile.parse(file, text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (CharacterCodingException e) {
            throw new ConfigRefusedException(
                    List.of(DocumentError.of(file.toString(), "encoding: not UTF-8 (expected: UTF-8)")));
        }
    }

    /** One that cannot be read is as good as changed: judging tells what is wrong with it. */
    private static List<String> contents(Set<Path> files) {
        List<String> contents = new ArrayList<>(files.size());
        for (Path each : files) {
            try {
                contents.add(new String(content(each), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                contents.add("unreadable");
            }
        }
        return contents;
    }

    private void lookLater() {
        clock.at(clock.nanoTime() + LOOK_EVERY.toNanos(), () -> {
            if (!closed) {
                looking.execute(this::look);
            }
        });
    }

    private void look() {
        try {
            byte[] now = content(file);
            List<String> nowNamed = contents(named);
            boolean settled = Arrays.equals(now, seen) && nowNamed.equals(seenNamed);
            boolean changed = !Arrays.equals(now, judged) || !nowNamed.equals(judgedNamed);
            seen = now;
            seenNamed = nowNamed;
            if (settled && (changed || !refused.isEmpty())) {
                judged = now;
                judgedNamed = nowNamed;
                judge(now, changed);
            }
        } catch (NoSuchFileException e) {
            refuse(List.of(file + ": file: missing (expected: settings in YAML)"));
        } catch (IOException e) {
            refuse(List.of(file + ": file: unreadable (expected: a file this user may read)"));
        } catch (RuntimeException e) {
            LOG.warn("looking at {} failed; will look again", file, e);
        } finally {
            lookLater();
        }
    }

    private void judge(byte[] content, boolean changed) {
        try {
            ConfigFile next = understood(file, content);
            if (next.gateway().isEmpty()) {
                refuse(List.of(file + ": routes: missing (expected: a list; [] is one, too)"));
                return;
            }
            String summary = taker.take(next.gateway().get());
            LOG.info("config {}, in force: {}", changed ? "changed" : "good again", summary);
            refused = List.of();
            name(next.gateway().get().authorityFiles());
            warn(next.fixedChanges(begun));
        } catch (ConfigRefusedException e) {
            refuse(e.errors().stream().map(Object::toString).toList());
        } catch (GatewayRefusedException e) {
            refuse(List.of(file + ": " + e.getMessage()));
        }
    }

    private void name(Set<Path> files) {
        if (!files.equals(named)) {
            named = files;
            judgedNamed = contents(files);
            seenNamed = judgedNamed;
        }
    }

    private void warn(List<String> fixed) {
        if (!fixed.isEmpty() && !fixed.equals(unchangeable)) {
            LOG.warn(needsRestart(fixed));
        }
        unchangeable = fixed;
    }

    /** Says so once, however often it is looked at. */
    private void refuse(List<String> errors) {
        if (!errors.equals(refused)) {
            refused = errors;
            LOG.warn("config refused, the last good one stays in force: {}", first(errors));
        }
    }

    private static String first(List<String> errors) {
        return errors.get(0) + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    private static String needsRestart(List<String> fixed) {
        return "config: " + String.join(", ", fixed) + " changed, which is in force after a restart";
    }
}
