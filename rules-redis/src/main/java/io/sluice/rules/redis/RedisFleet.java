package io.sluice.rules.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.sluice.rules.redis.ClaimedWrites.Write;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The place in Redis where nodes report, and where a center answers them. It has its own connection, which it opens when it
 * is needed and again after a failure. Calls block until the answer arrives, so use a thread that may block. Not thread-safe.
 *
 * <p>Each command uses one key, so a Cluster executes all of them.
 */
public final class RedisFleet implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RedisFleet.class.getName());

    /** Thrown if Redis refuses a command, because of missing permissions or its state. */
    public static final class RefusedException extends RuntimeException {

        private static final long serialVersionUID = 1;

        RefusedException(RedisCommandExecutionException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** The prefix of the keys of reports, which expire after {@link #REPORT_LIVES}. */
    public static final String REPORT = "rate_limit_node:";

    /** The key of the set of all ids that ever reported, so that no center has to scan for reports. The center removes old ids. */
    public static final String NODES = "rate_limit_nodes";

    /** The key of the message from the center to all nodes. */
    public static final String FLEET = "rate_limit_fleet";

    /** A node is dead if its last report is older. */
    public static final Duration REPORT_LIVES = Duration.ofSeconds(5);

    /** The center writes its message every second. An older message than this is void. */
    private static final Duration FLEET_LIVES = Duration.ofSeconds(60);

    /** The maximum size of the center's message. */
    private static final int MOST_BYTES = 100_000;

    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(1);
    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(3);

    /** Holds the claim of the center that writes. Separate, because the fleet is written over another connection than the rules. */
    static final String TERM = RuleStore.TERM + "_fleet";

    private final RuleServer server;
    private final Duration reportLives;
    private final Claim claim = new Claim(TERM, FLEET);
    private boolean leads;
    private @Nullable RuleLine line;

    private RedisFleet(RuleServer server, Duration reportLives) {
        this.server = server;
        this.reportLives = reportLives;
    }

    /**
     * Parses an address without connecting.
     *
     * @throws IllegalArgumentException if the URI is invalid
     */
    public static RedisFleet at(String uri) {
        return at(uri, REPORT_LIVES);
    }

    static RedisFleet at(String uri, Duration reportLives) {
        return new RedisFleet(RuleServer.at(uri, CONNECTING_MAY_TAKE), reportLives);
    }

    /** Returns the name for logs. */
    public String name() {
        return server.name();
    }

    /**
     * Writes the report of a node, and returns the center's message to all nodes; empty if no center has written one lately.
     *
     * @throws RefusedException if Redis refuses a command
     * @throws RuntimeException if Redis cannot be reached
     */
    public Optional<String> exchange(String node, String report) {
        try {
            return exchange(open().commands(), node, report);
        } catch (RedisCommandExecutionException e) {
            throw new RefusedException(e);
        } catch (RuntimeException e) {
            drop();
            throw e;
        }
    }

    private Optional<String> exchange(RedisClusterAsyncCommands<String, byte[]> redis, String node, String report) {
        RedisFuture<?> written = redis.set(
                REPORT + node, report.getBytes(StandardCharsets.UTF_8), SetArgs.Builder.px(reportLives.toMillis()));
        RedisFuture<?> listed = redis.sadd(NODES, node.getBytes(StandardCharsets.UTF_8));
        RedisFuture<byte[]> told = redis.getrange(FLEET, 0, MOST_BYTES);
        LettuceStore.await(written, ANSWER_MAY_TAKE);
        LettuceStore.await(listed, ANSWER_MAY_TAKE);
        byte[] fleet = text(told);
        return fleet == null || fleet.length == 0
                ? Optional.empty()
                : Optional.of(new String(fleet, StandardCharsets.UTF_8));
    }

    /**
     * Makes all later writes those of a center: they never replace what the leader of a later term wrote, however late they arrive.
     *
     * @param term the term of the center that leads; 0 while it does not lead and only reads
     */
    public void lead(long term) {
        claim.lead(term);
        leads = term != 0;
    }

    /**
     * Returns the current reports by the id of their node. The center that leads removes ids of nodes that no longer report.
     *
     * @throws NewerLeaderException if a later term was claimed
     * @throws RuntimeException if Redis cannot be reached or refuses
     */
    public Map<String, String> reports() {
        try {
            return reports(open());
        } catch (RuntimeException e) {
            drop();
            throw e;
        }
    }

    private Map<String, String> reports(RuleLine open) {
        RedisClusterAsyncCommands<String, byte[]> redis = open.commands();
        Map<String, RedisFuture<byte[]>> asked = new TreeMap<>();
        for (byte[] id : ids(open)) {
            String node = new String(id, StandardCharsets.UTF_8);
            asked.put(node, redis.get(REPORT + node));
        }
        Map<String, String> reports = new TreeMap<>();
        List<byte[]> silent = new ArrayList<>();
        asked.forEach((node, answer) -> {
            byte[] report = text(answer);
            if (report == null) {
                silent.add(node.getBytes(StandardCharsets.UTF_8));
            } else {
                reports.put(node, new String(report, StandardCharsets.UTF_8));
            }
        });
        if (!silent.isEmpty() && leads) {
            // A node adds itself again with its next report.
            boolean unused = open.writes().write(Write.of(NODES, "srem", silent.toArray(byte[][]::new)));
        }
        return reports;
    }

    /** Returns the ids of all nodes. A key of another type is removed, and nodes add themselves again. */
    private Set<byte[]> ids(RuleLine open) {
        try {
            return LettuceStore.await(open.commands().smembers(NODES), ANSWER_MAY_TAKE);
        } catch (RedisCommandExecutionException e) {
            if (!LettuceStore.isOfAnotherType(e)) {
                throw e;
            }
            if (!leads) {
                return Set.of();
            }
            boolean unused = open.writes().write(Write.of(NODES, "unlink"));
            LOG.log(Level.WARNING, NODES + " was not a set and was removed; nodes add themselves again");
            return Set.of();
        }
    }

    /** Returns a text; null if there is none. A key of another type counts as none: it is rewritten within a second. */
    private static byte @Nullable [] text(RedisFuture<byte[]> answer) {
        try {
            return LettuceStore.await(answer, ANSWER_MAY_TAKE);
        } catch (RedisCommandExecutionException e) {
            if (!LettuceStore.isOfAnotherType(e)) {
                throw e;
            }
            return null;
        }
    }

    /**
     * Writes the message about the fleet to all nodes.
     *
     * @throws NewerLeaderException if a later term was claimed
     * @throws RuntimeException if Redis cannot be reached or refuses
     */
    public void tell(String fleet) {
        try {
            String lives = Long.toString(FLEET_LIVES.toMillis());
            boolean unused = open().writes()
                    .write(Write.of(
                            FLEET,
                            "set",
                            fleet.getBytes(StandardCharsets.UTF_8),
                            lives.getBytes(StandardCharsets.UTF_8)));
        } catch (RuntimeException e) {
            drop();
            throw e;
        }
    }

    private RuleLine open() {
        RuleLine open = line;
        if (open != null && open.isOpen()) {
            return open;
        }
        drop();
        RuleLine made = server.open(ANSWER_MAY_TAKE, claim);
        line = made;
        return made;
    }

    private void drop() {
        RuleLine open = line;
        line = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        drop();
        server.close();
    }
}
