package io.sluice.center.checkpoint;

import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedKey;
import io.sluice.center.database.Database;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.core.time.Clock;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.CheckpointOffer;
import io.sluice.runtime.witness.KeyChange;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Signs the state of the log every minute and after each release, and evaluates the witness reports of nodes. {@link #turn} uses the
 * database; all other methods answer from memory, so that nodes never wait for the database. Thread-safe.
 *
 * <p>The leader signs a log even if it contradicts the memory of this machine. The nodes then judge the log, and all of them report the
 * contradiction.
 */
public final class Checkpoints {

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final long EVERY_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** The maximum numbers of sizes that are looked up, and of earlier checkpoints that get a proof through Redis. */
    private static final int MOST_SIZES = 200;

    private static final int MOST_EARLIER = 5;

    /** The maximum number of nodes that are named. */
    private static final int MOST_NAMED = 5;

    private final Database database;
    private final AuditKeys keys;
    private final LiveNodes nodes;
    private final Clock clock;
    private volatile LogView view = LogView.NONE;
    private volatile Optional<String> damage = Optional.empty();

    /** The sizes of the checkpoints before the newest one. Nodes may hold these checkpoints without having reported them. */
    private final Deque<Long> earlier = new ArrayDeque<>();

    private @Nullable Long signedNanos;

    public Checkpoints(Database database, AuditKeys keys, LiveNodes nodes, Clock clock) {
        this.database = database;
        this.keys = keys;
        this.nodes = nodes;
        this.clock = clock;
    }

    /**
     * Signs the log if a checkpoint is due, and looks up the sizes that nodes report.
     *
     * @param leads whether this center is the leader; other centers do not sign
     */
    public synchronized void turn(boolean leads) {
        try {
            look(leads);
            damage = Optional.empty();
        } catch (IllegalArgumentException e) {
            String text = "the keys or checkpoints of the audit log are damaged: " + e.getMessage()
                    + " (see POST /api/audit/verify)";
            if (!damage.equals(Optional.of(text))) {
                LOG.error(text);
            }
            damage = Optional.of(text);
        }
    }

    private void look(boolean leads) {
        // The reports are read before the database: a node must not know more than the state that its report is
        // compared with.
        Set<Long> reported = sizes(node -> true);
        List<LoggedKey> known = database.read(AuditTables::keys);
        Optional<SigningKey> signing = keys.signing(known);
        if (!leads) {
            signedNanos = null;
        } else if (signing.isPresent()) {
            sign(signing.get());
        }
        view = database.read(client -> look(client, reported));
    }

    private void sign(SigningKey key) {
        long nanos = clock.nanoTime();
        long lastNanos = signedNanos == null ? nanos : signedNanos;
        signedNanos = lastNanos;
        long nowMillis = clock.epochMicros() / 1000;
        boolean isMinuteOver = nanos - lastNanos >= TimeUnit.MILLISECONDS.toNanos(EVERY_MILLIS);
        boolean isDue = database.read(client -> CheckpointTable.newest(client, AuditTables.log(client))
                .map(last -> isMinuteOver
                        || nowMillis - last.atMillis() >= EVERY_MILLIS
                        || CheckpointTable.isReleasedAfter(client, last.size()))
                .orElse(true));
        if (isDue && database.write(client -> sign(client, key, nowMillis))) {
            signedNanos = nanos;
        }
    }

    private static boolean sign(JdbcClient client, SigningKey key, long nowMillis) {
        List<LoggedKey> known = AuditTables.keys(client);
        if (known.isEmpty() || !known.get(known.size() - 1).key().equals(key.known())) {
            // The key was replaced. The next turn uses the new key.
            return false;
        }
        String log = AuditTables.log(client);
        AuditHead head = AuditTree.head(client);
        Optional<Checkpoint> last = CheckpointTable.newest(client, log);
        // The clock may have been set back. Nodes treat the later of two checkpoints as the newer one.
        long atMillis = Math.max(
                nowMillis, last.map(checkpoint -> checkpoint.atMillis() + 1).orElse(0L));
        CheckpointTable.put(client, key.checkpoint(log, head.number(), head.hash(), atMillis));
        if (last.filter(before -> hour(before.atMillis()) == hour(atMillis)).isEmpty()) {
            CheckpointTable.thin(client, nowMillis);
        }
        return true;
    }

    private static long hour(long millis) {
        return TimeUnit.MILLISECONDS.toHours(millis);
    }

    private LogView look(JdbcClient client, Set<Long> reported) {
        String log = AuditTables.log(client);
        if (log.isEmpty()) {
            return LogView.NONE;
        }
        List<LoggedKey> known = AuditTables.keys(client);
        Optional<Checkpoint> newest = CheckpointTable.newest(client, log);
        LogView before = view;
        boolean isSame = newest.equals(before.newest()) && log.equals(before.log());
        newest.ifPresent(checkpoint -> {
            if (!earlier.contains(checkpoint.size())) {
                earlier.addFirst(checkpoint.size());
            }
            if (earlier.size() > MOST_EARLIER) {
                earlier.removeLast();
            }
        });
        Set<Long> wanted = new LinkedHashSet<>(reported);
        wanted.addAll(earlier);
        Map<Long, LogView.Size> sizes = new HashMap<>();
        for (long size : wanted) {
            LogView.Size last = before.sizes().get(size);
            if (isSame && last != null && last.proof().isPresent()) {
                sizes.put(size, last);
            } else {
                sizes.put(size, size(client, size, newest));
            }
        }
        List<KeyChange> changes =
                known.stream().flatMap(key -> key.change(log).stream()).toList();
        Map<String, LogKey> byId =
                known.stream().map(LoggedKey::key).collect(Collectors.toMap(LogKey::id, key -> key, (a, b) -> a));
        return new LogView(log, AuditTree.head(client), newest, byId, changes, sizes);
    }

    /** Returns the state of a size. For a tree with a missing part, it is unknown; the verifier names the problem. */
    private static LogView.Size size(JdbcClient client, long size, Optional<Checkpoint> newest) {
        try {
            return new LogView.Size(
                    AuditTree.root(client, size),
                    newest.filter(checkpoint -> size <= checkpoint.size())
                            .map(checkpoint -> AuditTree.proof(client, size, checkpoint.size())));
        } catch (IncorrectResultSizeDataAccessException e) {
            return LogView.Size.BEYOND;
        }
    }

    /** Returns the sizes that live nodes report, the most common size first. */
    private Set<Long> sizes(Predicate<NodeState> which) {
        Map<Long, Long> counts = nodes.live().stream()
                .filter(which)
                .flatMap(node -> node.report().answers().witness().stream())
                .collect(Collectors.groupingBy(WitnessReport::size, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<Long, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .limit(MOST_SIZES)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the offer for a node; empty if this center has none, or cannot prove it to this node yet. */
    public Optional<CheckpointOffer> offer(NodeReport report) {
        return view.offer(report.answers().witness());
    }

    /** Returns one offer for all nodes that report through Redis. */
    public Optional<CheckpointOffer> board() {
        LogView now = view;
        Set<Long> held = sizes(node -> node.way() == NodeState.Way.REDIS);
        synchronized (this) {
            held.addAll(earlier);
        }
        return now.offer(List.copyOf(held));
    }

    /** Returns whether a node's root equals the root of this log at the same size; empty if that is not known yet. */
    public Optional<Boolean> agrees(WitnessReport report) {
        return view.agrees(report);
    }

    /** Returns the problems of the log, as sentences. */
    public List<String> problems() {
        LogView now = view;
        List<String> problems = new ArrayList<>();
        keys.problem().ifPresent(problems::add);
        damage.ifPresent(problems::add);
        List<String> said = new ArrayList<>();
        nodes.live().forEach(node -> node.report()
                .answers()
                .witness()
                .flatMap(now::contradiction)
                .ifPresent(text -> said.add("node " + node.report().node() + " " + text)));
        problems.addAll(said.subList(0, Math.min(MOST_NAMED, said.size())));
        if (said.size() > MOST_NAMED) {
            problems.add((said.size() - MOST_NAMED) + " more nodes contradict the audit log (see GET /api/nodes)");
        }
        return problems;
    }
}
