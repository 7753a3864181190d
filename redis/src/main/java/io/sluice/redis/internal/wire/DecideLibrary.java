package io.sluice.redis.internal.wire;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The function library in Redis that decides: one Lua file for each algorithm, and {@code decide.lua}, which calls them. The names of the
 * library and its functions contain a digest of the source, so that processes of different versions can use the same server, each with its
 * own functions.
 */
public final class DecideLibrary {

    /** The files of the library, each after the files whose names it uses. */
    private static final List<String> FILES = List.of(
            "arithmetic.lua",
            "steps.lua",
            "token_bucket.lua",
            "leaky_bucket.lua",
            "fixed_window.lua",
            "sliding_window.lua",
            "sliding_log.lua",
            "concurrency.lua",
            "leases.lua",
            "settlements.lua",
            "demands.lua",
            "decide.lua");

    private static final Pattern COMMENT = Pattern.compile("(?m)^ +|^ *--.*$");
    private static final String SOURCE = source();
    private static final String DIGEST = digest(SOURCE);

    /** The name of the function that decides one charge on one count. */
    public static final String ONE = "sluice_one_" + DIGEST;

    /** The name of the function that decides a batch. */
    public static final String FUNCTION = "sluice_decide_" + DIGEST;

    /** The variant for a Redis without memory for new keys. It updates existing keys and skips operations that need a new key. */
    public static final String EXISTING = "sluice_existing_" + DIGEST;

    /** The text that is loaded. Comments are stripped, because every load would send them. */
    public static final String TEXT = COMMENT.matcher(SOURCE)
            .replaceAll("")
            .replace("#!lua name=sluice\n", "#!lua name=sluice_" + DIGEST + "\n")
            .replace("'sluice_one'", "'" + ONE + "'")
            .replace("'sluice_decide'", "'" + FUNCTION + "'")
            .replace("'sluice_existing'", "'" + EXISTING + "'");

    private static final byte[][] NO_KEYS = {};
    private static final byte[][] NOTHING = {new byte[0]};

    private DecideLibrary() {}

    /** Loads the library; it may be loaded already. Failures complete the stage exceptionally and are never thrown. */
    public static CompletionStage<Void> load(StatefulRedisConnection<byte[], byte[]> redis) {
        try {
            return redis.async().functionLoad(TEXT).handle((name, failure) -> {
                if (failure != null && !says(failure, "already exists")) {
                    throw new CompletionException(cause(failure));
                }
                return null;
            });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Calls a function. Failures complete the stage exceptionally and are never thrown. */
    public static CompletionStage<byte[]> call(
            StatefulRedisConnection<byte[], byte[]> redis, String function, byte[][] keys, byte[][] args) {
        try {
            return redis.async().fcall(function, ScriptOutputType.VALUE, keys, args);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Calls a function on a Cluster node that is still importing the slot. ASKING and the call are sent back to back. */
    public static CompletionStage<byte[]> callAsking(
            StatefulRedisConnection<byte[], byte[]> redis, String function, byte[][] keys, byte[][] args) {
        RedisCodec<byte[], byte[]> codec = ByteArrayCodec.INSTANCE;
        AsyncCommand<byte[], byte[], String> asking =
                new AsyncCommand<>(new Command<>(CommandType.ASKING, new StatusOutput<>(codec)));
        AsyncCommand<byte[], byte[], byte[]> call = new AsyncCommand<>(new Command<>(
                CommandType.FCALL,
                new ValueOutput<>(codec),
                new CommandArgs<>(codec)
                        .add(function)
                        .add(keys.length)
                        .addKeys(keys)
                        .addValues(args)));
        try {
            redis.dispatch(List.of(asking, call));
            return call;
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Calls the function with no work, to see whether Redis would decide. */
    public static CompletionStage<byte[]> probe(StatefulRedisConnection<byte[], byte[]> redis) {
        return call(redis, EXISTING, NO_KEYS, NOTHING);
    }

    /** Returns whether Redis ran nothing because the function is unknown, after a restart or a flush. */
    public static boolean isUnknown(Throwable failure) {
        return says(failure, "Function not found");
    }

    /** Unwraps the cause of a failed stage. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static boolean says(Throwable failure, String words) {
        Throwable cause = cause(failure);
        return cause instanceof RedisCommandExecutionException
                && cause.getMessage() != null
                && cause.getMessage().contains(words);
    }

    private static String source() {
        return FILES.stream().map(DecideLibrary::read).collect(Collectors.joining("\n", "#!lua name=sluice\n", ""));
    }

    private static String read(String file) {
        try (InputStream in = DecideLibrary.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of()
                    .formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .substring(0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
