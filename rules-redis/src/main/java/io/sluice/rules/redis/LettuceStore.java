package io.sluice.rules.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.redis.ClaimedWrites.Write;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A store that uses a connection to one server or to a Cluster, which accept the same commands. Large numbers of keys are sent in
 * batches.
 */
final class LettuceStore implements RuleStore {

    private static final int SCANNED_AT_ONCE = 1_000;

    /** The number of hashes per read or write. Even this many hashes of the largest size take no more than 25 MiB. */
    private static final int HASHES_AT_ONCE = 100;

    /** More bytes than the longest valid text takes. */
    private static final long MOST_ADJUSTING_BYTES = 3L * Adjustments.MOST_CHARACTERS;

    private static final Script READ = Script.load("read.lua");

    private final RedisClusterAsyncCommands<String, byte[]> redis;
    private final ClaimedWrites writes;
    private final Duration patience;

    LettuceStore(RedisClusterAsyncCommands<String, byte[]> redis, ClaimedWrites writes, Duration patience) {
        this.redis = redis;
        this.writes = writes;
        this.patience = patience;
    }

    @Override
    public Optional<byte[]> version() {
        byte[] text = text(redis.getrange(VERSION, 0, VersionPointer.LONGEST))
                .orElseGet(() -> utf8("(" + await(redis.type(VERSION)) + ")"));
        return text.length == 0 ? Optional.empty() : Optional.of(text);
    }

    @Override
    public Optional<String> adjustments() {
        byte[] text = text(redis.getrange(ADJUSTMENTS, 0, MOST_ADJUSTING_BYTES)).orElse(null);
        if (text == null) {
            return Optional.of("");
        }
        return text.length == 0 ? Optional.empty() : Optional.of(new String(text, StandardCharsets.UTF_8));
    }

    @Override
    public void claim() {
        writes.claim();
    }

    @Override
    public boolean adjust(String text, long revision) {
        return writes.write(Write.of(ADJUSTMENTS, "adjust", utf8(text), utf8(Long.toString(revision))));
    }

    @Override
    public long length(long version) {
        return text(redis.strlen(SNAPSHOT + version)).orElse(-1L);
    }

    @Override
    public byte[] part(long version, int from, int length) {
        return text(redis.getrange(SNAPSHOT + version, from, from + length - 1L))
                .orElseGet(() -> new byte[0]);
    }

    @Override
    public boolean write(long version, byte[] snapshot) {
        return writes.write(Write.of(SNAPSHOT + version, "add", snapshot));
    }

    @Override
    public void replace(long version, byte[] snapshot) {
        boolean unused = writes.write(Write.of(SNAPSHOT + version, "set", snapshot, utf8("0")));
    }

    @Override
    public boolean flip(byte[] was, String next) {
        byte[] last = utf8(Integer.toString(VersionPointer.LONGEST));
        return writes.write(Write.of(VERSION, "switch", was, utf8(next), last));
    }

    @Override
    public Set<String> keys(String beginning, int most) {
        Set<String> keys = new TreeSet<>();
        ScanArgs matching = ScanArgs.Builder.matches(beginning + "*").limit(SCANNED_AT_ONCE);
        KeyScanCursor<String> cursor = await(redis.scan(ScanCursor.INITIAL, matching));
        keys.addAll(cursor.getKeys());
        while (!cursor.isFinished()) {
            if (keys.size() > most) {
                throw new TooManyException(beginning, most);
            }
            cursor = await(redis.scan(cursor, matching));
            keys.addAll(cursor.getKeys());
        }
        if (keys.size() > most) {
            throw new TooManyException(beginning, most);
        }
        return keys;
    }

    @Override
    public List<HashContent> read(List<String> keys) {
        List<HashContent> contents = new ArrayList<>();
        byte[] fields = utf8(Integer.toString(HashReply.MOST_FIELDS));
        byte[] bytes = utf8(Integer.toString(HashReply.MOST_BYTES));
        for (List<String> some : parts(keys)) {
            List<RedisFuture<List<byte[]>>> answers = new ArrayList<>();
            for (String key : some) {
                answers.add(redis.evalshaReadOnly(
                        READ.digest(), ScriptOutputType.MULTI, new String[] {key}, fields, bytes));
            }
            for (int i = 0; i < some.size(); i++) {
                contents.add(HashReply.content(answer(answers.get(i), some.get(i), fields, bytes)));
            }
        }
        return contents;
    }

    @Override
    public void mirror(Map<String, Map<String, String>> hashes) {
        for (List<String> some : parts(List.copyOf(hashes.keySet()))) {
            List<Write> each = new ArrayList<>();
            for (String key : some) {
                List<byte[]> arguments = new ArrayList<>();
                hashes.getOrDefault(key, Map.of()).forEach((field, value) -> {
                    arguments.add(utf8(field));
                    arguments.add(utf8(value));
                });
                each.add(Write.of(key, "hash", arguments.toArray(byte[][]::new)));
            }
            int unused = writes.write(each);
        }
    }

    @Override
    public void remove(Collection<String> keys) {
        for (List<String> some : parts(List.copyOf(keys))) {
            int unused = writes.write(
                    some.stream().map(key -> Write.of(key, "unlink")).toList());
        }
    }

    @Override
    public void tell(String message) {
        await(redis.publish(CHANNEL, utf8(message)));
    }

    /** Waits for an answer. If the server does not know the script yet, sends the script; from then on the server knows it. */
    private List<byte[]> answer(RedisFuture<List<byte[]>> future, String key, byte[]... bounds) {
        try {
            return await(future);
        } catch (RedisNoScriptException e) {
            return await(redis.evalReadOnly(READ.text(), ScriptOutputType.MULTI, new String[] {key}, bounds));
        }
    }

    private static List<List<String>> parts(List<String> keys) {
        List<List<String>> parts = new ArrayList<>();
        for (int i = 0; i < keys.size(); i += HASHES_AT_ONCE) {
            parts.add(keys.subList(i, Math.min(keys.size(), i + HASHES_AT_ONCE)));
        }
        return parts;
    }

    /** Waits for the answer to a command for texts; empty if the key is of another type. */
    private <T> Optional<T> text(Future<T> answer) {
        try {
            return Optional.of(await(answer));
        } catch (RedisCommandExecutionException e) {
            if (isOfAnotherType(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Returns whether a command failed because another program wrote a key of another type. */
    static boolean isOfAnotherType(RedisCommandExecutionException failure) {
        return String.valueOf(failure.getMessage()).startsWith("WRONGTYPE");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private <T> T await(Future<T> answer) {
        return await(answer, patience);
    }

    /** Waits for an answer, and throws on timeout. */
    static <T> T await(Future<T> answer, Duration patience) {
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("Redis did not answer within " + patience.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for Redis", e);
        }
    }
}
