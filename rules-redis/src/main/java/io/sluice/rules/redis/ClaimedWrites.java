package io.sluice.rules.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;

/** All writes of one connection that a later leader must be able to stop. Each of them compares the claim in the same atomic step. */
final class ClaimedWrites implements Claim.Places {

    private static final String LATER = "OLDCLAIM ";
    private static final String NONE = "NOCLAIM ";
    private static final int SCANNED_AT_ONCE = 1_000;
    private static final Script CLAIM = Script.load("claim.lua");
    private static final Script WRITE = Script.load("write.lua");

    private final RedisClusterAsyncCommands<String, byte[]> redis;
    private final Duration patience;
    private final Claim claim;
    private final boolean isCluster;

    ClaimedWrites(RedisClusterAsyncCommands<String, byte[]> redis, Duration patience, Claim claim, boolean isCluster) {
        this.redis = redis;
        this.patience = patience;
        this.claim = claim;
        this.isCluster = isCluster;
    }

    /**
     * One write.
     *
     * @param arguments the arguments of {@code write.lua}, starting with the operation
     */
    record Write(String key, List<byte[]> arguments) {

        static Write of(String key, String what, byte[]... arguments) {
            List<byte[]> all = new ArrayList<>(List.of(utf8(what)));
            all.addAll(List.of(arguments));
            return new Write(key, all);
        }
    }

    /**
     * Makes the claim without writing anything else.
     *
     * @throws NewerLeaderException if a later term was claimed
     */
    void claim() {
        claim.make(this, List.of());
    }

    /**
     * Writes one key. Returns true if it was written.
     *
     * @throws NewerLeaderException if a later term was claimed
     */
    boolean write(Write write) {
        return write(List.of(write)) == 1;
    }

    /**
     * Writes keys, each in its own step. Returns how many were written. Repeats all of them if the claim was lost in between.
     *
     * @throws NewerLeaderException if a later term was claimed
     */
    int write(List<Write> writes) {
        try {
            return attempt(writes);
        } catch (RedisCommandExecutionException e) {
            if (!message(e).startsWith(NONE)) {
                throw e;
            }
        }
        claim.doubt();
        return attempt(writes);
    }

    private int attempt(List<Write> writes) {
        claim.make(this, writes.stream().map(Write::key).toList());
        List<RedisFuture<Long>> answers = new ArrayList<>();
        for (Write write : writes) {
            List<byte[]> arguments = new ArrayList<>(List.of(utf8(claim.text())));
            arguments.addAll(write.arguments());
            answers.add(redis.eval(
                    WRITE.text(),
                    ScriptOutputType.INTEGER,
                    new String[] {of(write.key()), write.key()},
                    arguments.toArray(byte[][]::new)));
        }
        int written = 0;
        for (RedisFuture<Long> answer : answers) {
            try {
                written += Math.toIntExact(await(answer));
            } catch (RedisCommandExecutionException e) {
                if (message(e).startsWith(LATER)) {
                    claim.refused(message(e).substring(LATER.length()));
                }
                throw e;
            }
        }
        return written;
    }

    /** A Cluster has a place in each slot, named by a number that is in this slot. */
    @Override
    public String of(String key) {
        return isCluster ? claim.place() + ":{" + SlotTags.of(SlotHash.getSlot(key)) + "}" : claim.place();
    }

    @Override
    public Collection<String> existing() {
        if (!isCluster) {
            return List.of();
        }
        Set<String> keys = new HashSet<>();
        ScanArgs matching = ScanArgs.Builder.matches(claim.place() + ":{*}").limit(SCANNED_AT_ONCE);
        KeyScanCursor<String> cursor = await(redis.scan(ScanCursor.INITIAL, matching));
        keys.addAll(cursor.getKeys());
        while (!cursor.isFinished()) {
            cursor = await(redis.scan(cursor, matching));
            keys.addAll(cursor.getKeys());
        }
        return keys;
    }

    @Override
    public Optional<String> claim(Collection<String> places, String text) {
        List<RedisFuture<Long>> answers = new ArrayList<>();
        for (String each : places) {
            answers.add(redis.eval(CLAIM.text(), ScriptOutputType.INTEGER, new String[] {each}, utf8(text)));
        }
        Optional<String> later = Optional.empty();
        for (RedisFuture<Long> answer : answers) {
            try {
                Long unused = await(answer);
            } catch (RedisCommandExecutionException e) {
                if (!message(e).startsWith(LATER)) {
                    throw e;
                }
                later = Optional.of(message(e).substring(LATER.length()));
            }
        }
        return later;
    }

    private static String message(RedisCommandExecutionException failure) {
        return String.valueOf(failure.getMessage());
    }

    /** Waits for an answer. Without an answer the writes that arrived are unknown, so the next write needs a new claim. */
    private <T> T await(Future<T> answer) {
        try {
            return LettuceStore.await(answer, patience);
        } catch (RedisCommandExecutionException e) {
            throw e;
        } catch (RuntimeException e) {
            claim.doubt();
            throw e;
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
