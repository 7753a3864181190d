package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.watch.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of the hashes that stand for callers, for a process without a key file. It is kept in the data directory, if there is one.
 * Processes that share a store agree on one key there, so that a caller has one hash in all of them: each proposes the key that it has,
 * again and again, so the key survives a store that loses its data. Never blocks after it is open. Thread-safe.
 */
public final class SharedCallerKey implements AutoCloseable {

    /** The name of the file in the data directory. */
    public static final String FILE = "caller-key";

    private static final Logger LOG = LoggerFactory.getLogger(SharedCallerKey.class);
    private static final String NAME = "callers";
    private static final int BYTES = 32;
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final Optional<Path> file;
    private final KeySecret secret;

    // Guarded by this.
    private byte[] key;
    private boolean told;

    private volatile boolean closed;

    private SharedCallerKey(Optional<Path> file, byte[] key) {
        this.file = file;
        this.key = key;
        this.secret = KeySecret.replaceable(key);
    }

    /**
     * Reads the key, or makes a random one.
     *
     * @param data the directory that keeps the key; empty to keep it in memory
     */
    public static SharedCallerKey open(Optional<Path> data) {
        Optional<Path> file = data.map(folder -> folder.resolve(FILE));
        Optional<byte[]> kept = file.flatMap(SharedCallerKey::read);
        if (kept.isPresent()) {
            return new SharedCallerKey(file, kept.get());
        }
        byte[] made = new byte[BYTES];
        new SecureRandom().nextBytes(made);
        SharedCallerKey own = new SharedCallerKey(file, made);
        own.write(made);
        return own;
    }

    /** Returns the secret. It changes when another one is agreed on. */
    public KeySecret secret() {
        return secret;
    }

    /**
     * Starts to agree on a secret with the other processes of a store. The future completes after the first attempt, with true if the
     * store answered.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // later times change the secret
    public CompletableFuture<Boolean> agree(Store store, Clock clock) {
        byte[] mine;
        synchronized (this) {
            mine = key;
        }
        CompletableFuture<Boolean> first = store.agreeOn(NAME, mine)
                // The file is not written on a thread of the store.
                .handleAsync((agreed, failure) -> agreed(store, agreed, failure))
                .toCompletableFuture();
        clock.at(clock.nanoTime() + PAUSE.toNanos(), () -> {
            if (!closed) {
                agree(store, clock);
            }
        });
        return first;
    }

    private synchronized boolean agreed(Store store, byte @Nullable [] agreed, @Nullable Throwable failure) {
        if (closed) {
            return false;
        }
        if (agreed != null && agreed.length == BYTES) {
            if (!Arrays.equals(agreed, key)) {
                key = agreed.clone();
                secret.replace(key);
                write(key);
            }
            return true;
        }
        if (store.isReady() && !told) {
            told = true;
            LOG.warn(
                    "refused callers have other hashes in each process, because the store keeps no common key for them: {}",
                    failure == null ? "the stored one is malformed" : failure.toString());
        }
        return false;
    }

    private static Optional<byte[]> read(Path file) {
        try (InputStream in = RegularFile.open(file)) {
            String text = new String(in.readNBytes(BYTES * 4), StandardCharsets.ISO_8859_1).strip();
            byte[] key = HexFormat.of().parseHex(text);
            if (key.length == BYTES) {
                return Optional.of(key);
            }
            LOG.warn("{} is damaged, so callers get new hashes", file);
        } catch (NoSuchFileException e) {
            // The first start.
        } catch (IOException e) {
            LOG.warn("cannot read {}, so callers get new hashes: {}", file, e.toString());
        } catch (IllegalArgumentException e) {
            // The message may show a part of the key.
            LOG.warn("{} is damaged, so callers get new hashes", file);
        }
        return Optional.empty();
    }

    private void write(byte[] bytes) {
        file.ifPresent(to -> {
            try {
                Path folder = to.toAbsolutePath().getParent();
                if (folder != null && !Files.isDirectory(folder)) {
                    Files.createDirectories(folder);
                }
                // Only the owner can read a temporary file, and the move keeps it so.
                Path temporary = Files.createTempFile(folder, FILE, ".tmp");
                try {
                    Files.writeString(temporary, HexFormat.of().formatHex(bytes) + "\n", StandardCharsets.US_ASCII);
                    Files.move(temporary, to, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(temporary);
                }
            } catch (IOException e) {
                LOG.warn(
                        "cannot keep the key of callers in {}, so they get new hashes after a restart: {}",
                        to,
                        e.toString());
            }
        });
    }

    @Override
    public void close() {
        closed = true;
    }
}
