package io.sluice.redis.internal.erasure;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.core.spi.KeyMatch;
import io.sluice.redis.internal.link.Connector;
import io.sluice.redis.internal.link.RedisLink;
import io.sluice.redis.internal.link.ServerLayout;
import io.sluice.redis.internal.link.Servers;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.store.ForgottenCounts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Removes the counts of a subject from Redis, with their leases and numbering. It goes through all names of the prefix in small pages,
 * on every server that holds counts, over connections of its own: decisions do not wait for it. Calls block. Thread-safe.
 *
 * <p>One process of a fleet is enough. A key in Redis names the process that does the work, and later records that the work is done; see
 * {@link RedisKeys#erasure}. The process renews the key with each page. If the process dies, the key expires and the next attempt of any
 * process starts over.
 *
 * <p>While slots of a Cluster move, a count may move from a server that is still to be read to a server that was read before. So a Cluster
 * is read again until a round finds nothing and no slot has moved meanwhile, at most {@value #MOST_ROUNDS} times.
 */
public final class CountErasure {

    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(30);
    private static final Duration RENEWED_WITHIN = Duration.ofMinutes(1);
    private static final Duration DONE_FOR = Duration.ofDays(1);
    private static final int PAGE = 500;
    private static final int MOST_ROUNDS = 3;
    private static final String DONE = "done";
    private static final String UNAVAILABLE = "Redis is unavailable";

    private final Servers servers;
    private final Connector connector;
    private final RedisKeys names;
    private final String own = UUID.randomUUID().toString();

    public CountErasure(Servers servers, Connector connector, RedisKeys names) {
        this.servers = servers;
        this.connector = connector;
        this.names = names;
    }

    /**
     * Removes the counts whose keys match.
     *
     * @param id the id of the erasure, the same in all processes; letters, digits and {@code -}
     */
    public ForgottenCounts forget(KeyMatch match, String id) {
        String marker = names.erasure(id);
        RedisLink link = servers.isReady() ? servers.link(servers.placeOf(marker)) : null;
        if (link == null) {
            return ForgottenCounts.some(0, UNAVAILABLE);
        }
        Attempt attempt = new Attempt(match, marker.getBytes(StandardCharsets.UTF_8));
        try {
            return attempt.run(link.uri());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ForgottenCounts.some(attempt.removed, "the process is stopping");
        } catch (ExecutionException e) {
            return ForgottenCounts.some(attempt.removed, reason(e.getCause()));
        } catch (TimeoutException e) {
            return ForgottenCounts.some(attempt.removed, "Redis does not answer");
        }
    }

    /** Returns the reason of a failure. The messages of Redis may quote a key, so only their first word is shown. */
    private static String reason(@Nullable Throwable failure) {
        if (!(failure instanceof RedisCommandExecutionException)) {
            return UNAVAILABLE;
        }
        String message = String.valueOf(failure.getMessage());
        String word = message.substring(0, (message + " ").indexOf(' '));
        return switch (word) {
            case "NOPERM" -> "the user of Redis may not run SCAN or UNLINK";
            case "READONLY" -> "the server of Redis only reads";
            default -> "Redis answers " + (word.matches("[A-Z]{1,20}") ? word : "an error");
        };
    }

    private static <T> T await(CompletionStage<T> answer)
            throws InterruptedException, ExecutionException, TimeoutException {
        return answer.toCompletableFuture().get(ANSWER_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private final class Attempt {

        private final KeyMatch match;
        private final byte[] marker;
        private long removed;

        Attempt(KeyMatch match, byte[] marker) {
            this.match = match;
            this.marker = marker;
        }

        ForgottenCounts run(RedisURI uri) throws InterruptedException, ExecutionException, TimeoutException {
            StatefulRedisConnection<byte[], byte[]> marking = await(connector.connect(uri));
            try {
                byte[] mine = own.getBytes(StandardCharsets.UTF_8);
                byte[] there = await(marking.async()
                        .setGet(marker, mine, SetArgs.Builder.nx().px(RENEWED_WITHIN)));
                String seen = there == null ? own : new String(there, StandardCharsets.UTF_8);
                if (!seen.equals(own)) {
                    return seen.equals(DONE)
                            ? ForgottenCounts.all(0)
                            : ForgottenCounts.some(0, ForgottenCounts.ELSEWHERE);
                }
                boolean complete = false;
                try {
                    complete = scanAll(marking);
                } finally {
                    if (!complete) {
                        leave(marking);
                    }
                }
                if (!complete) {
                    return ForgottenCounts.some(removed, "slots of the Cluster are moving");
                }
                await(marking.async().set(marker, DONE.getBytes(StandardCharsets.UTF_8), SetArgs.Builder.px(DONE_FOR)));
                return ForgottenCounts.all(removed);
            } finally {
                close(marking);
            }
        }

        private boolean scanAll(StatefulRedisConnection<byte[], byte[]> marking)
                throws InterruptedException, ExecutionException, TimeoutException {
            boolean stable = false;
            for (int round = 0; round < MOST_ROUNDS; round++) {
                long before = removed;
                ServerLayout layout = await(servers.layout());
                for (RedisURI server : layout.servers()) {
                    StatefulRedisConnection<byte[], byte[]> redis = await(connector.connect(server));
                    try {
                        scan(redis, marking);
                    } finally {
                        close(redis);
                    }
                }
                stable = layout.slots().equals(await(servers.layout()).slots());
                if (stable && (!layout.isDivided() || removed == before)) {
                    return true;
                }
            }
            return stable;
        }

        private void scan(
                StatefulRedisConnection<byte[], byte[]> redis, StatefulRedisConnection<byte[], byte[]> marking)
                throws InterruptedException, ExecutionException, TimeoutException {
            ScanArgs page = ScanArgs.Builder.limit(PAGE).match(names.pattern());
            ScanCursor cursor = ScanCursor.INITIAL;
            while (!cursor.isFinished()) {
                KeyScanCursor<byte[]> found = await(redis.async().scan(cursor, page));
                unlink(redis, found.getKeys());
                await(marking.async().pexpire(marker, RENEWED_WITHIN));
                cursor = found;
            }
        }

        /** Removes the keys with one call each, because the keys of a call must be in one slot of a Cluster. */
        private void unlink(StatefulRedisConnection<byte[], byte[]> redis, List<byte[]> page)
                throws InterruptedException, ExecutionException, TimeoutException {
            List<CompletionStage<Long>> gone = new ArrayList<>();
            List<CompletionStage<Long>> others = new ArrayList<>();
            for (byte[] key : page) {
                String name = new String(key, StandardCharsets.UTF_8);
                if (names.isOf(match, name)) {
                    // The name of a count is plain; leases and numbering are recorded beside it.
                    (names.isCount(name) ? gone : others).add(redis.async().unlink(key));
                }
            }
            for (CompletionStage<Long> each : gone) {
                removed += await(each);
            }
            for (CompletionStage<Long> each : others) {
                await(each);
            }
        }

        /** Lets another attempt start immediately. If this fails, another attempt can start when the key expires. */
        @SuppressWarnings("FutureReturnValueIgnored")
        private void leave(StatefulRedisConnection<byte[], byte[]> marking) {
            marking.async().del(marker);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // closing happens in the background, after all sent commands
        private static void close(StatefulRedisConnection<byte[], byte[]> redis) {
            redis.closeAsync();
        }
    }
}
