package io.sluice.redis.internal.cluster;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.Connector;
import io.sluice.redis.internal.link.RedisLink;
import io.sluice.redis.internal.wire.DecideLibrary;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes of a Cluster, one after the other, for the owners of the slots, until a node reports a healthy Cluster. Nodes
 * with an open connection are asked first. For other nodes, a connection is opened and closed again.
 */
@SuppressWarnings("FutureReturnValueIgnored") // everything is reported through the result
final class TopologyReader {

    /** The time that a node has to answer. A slower node is skipped. */
    private static final Duration PATIENCE = Duration.ofMillis(400);

    private final Connector connector;
    private final Clock clock;
    private final boolean secure;
    private final Deque<RedisLink> linked;
    private final Deque<RedisURI> others;
    private final CompletableFuture<ClusterTopology> result = new CompletableFuture<>();

    /** The best view so far, from a node that reports a problem. */
    private @Nullable ClusterTopology unwell;

    private Throwable failure = new IllegalStateException("no node to ask");

    private TopologyReader(
            Connector connector, Clock clock, boolean secure, List<RedisLink> linked, List<RedisURI> others) {
        this.connector = connector;
        this.clock = clock;
        this.secure = secure;
        this.linked = new ArrayDeque<>(linked);
        this.others = new ArrayDeque<>(others);
    }

    /** Reads the topology. Fails with the failure of the last node if no node knows it. */
    static CompletionStage<ClusterTopology> read(
            Connector connector, Clock clock, boolean secure, List<RedisLink> linked, List<RedisURI> others) {
        TopologyReader reader = new TopologyReader(connector, clock, secure, linked, others);
        reader.next();
        return reader.result;
    }

    private void next() {
        RedisLink link = linked.poll();
        if (link != null) {
            StatefulRedisConnection<byte[], byte[]> open = link.connection();
            if (open == null) {
                next();
            } else {
                ask(open, link.uri()).whenComplete(this::heard);
            }
            return;
        }
        RedisURI other = others.poll();
        if (other == null) {
            end();
            return;
        }
        connector.connect(other).whenComplete((made, notMade) -> {
            if (notMade != null) {
                heard(null, notMade);
                return;
            }
            ask(made, other).whenComplete((shards, notSaid) -> {
                made.closeAsync();
                heard(shards, notSaid);
            });
        });
    }

    private void heard(@Nullable ClusterTopology shards, @Nullable Throwable notSaid) {
        if (notSaid != null) {
            failure = notSaid;
        } else if (shards != null && shards.isOk() && shards.isUseful()) {
            result.complete(shards);
            return;
        } else if (shards != null && shards.isUseful()) {
            unwell = unwell == null ? shards : unwell;
        } else {
            failure = new IllegalStateException("the node knows of no slots");
        }
        next();
    }

    private void end() {
        if (unwell != null) {
            result.complete(unwell);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private CompletableFuture<ClusterTopology> ask(StatefulRedisConnection<byte[], byte[]> redis, RedisURI uri) {
        CompletableFuture<ClusterTopology> answer = new CompletableFuture<>();
        Clock.Alarm late = clock.at(
                clock.nanoTime() + PATIENCE.toNanos(),
                () -> answer.completeExceptionally(new TimeoutException("no answer to CLUSTER SHARDS")));
        shards(redis.async(), new Endpoint(uri.getHost(), uri.getPort())).whenComplete((shards, notSaid) -> {
            late.cancel();
            if (notSaid == null) {
                answer.complete(shards);
            } else {
                answer.completeExceptionally(DecideLibrary.cause(notSaid));
            }
        });
        return answer;
    }

    private CompletionStage<ClusterTopology> shards(RedisAsyncCommands<byte[], byte[]> commands, Endpoint asked) {
        try {
            return commands.clusterInfo()
                    .thenCombine(
                            commands.clusterShards(),
                            (info, shards) -> ClusterTopology.read(asked, secure, info, shards));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
