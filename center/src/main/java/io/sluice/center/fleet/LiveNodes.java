package io.sluice.center.fleet;

import io.sluice.core.time.Clock;
import io.sluice.runtime.fleet.NodeReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The last report of each node. Thread-safe.
 *
 * <p>A node is live if its reports changed within the last five seconds, measured on the monotonic clock of this center. The clocks of
 * nodes and of other centers do not matter. A node that this center reads from the database has the same five seconds to report. While this
 * center itself is stalled, no time passes; otherwise all nodes would seem silent when it resumes.
 */
public final class LiveNodes {

    /** The time without news after which a node is not live. */
    public static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The maximum time between two calls of {@link #attend} that counts; a longer time counts as this much. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The maximum age of the news of a node that was live when another center took over. */
    private static final long TAKEOVER_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The time without news after which a node is forgotten. */
    private static final long FORGOTTEN_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The maximum number of nodes. Further nodes are not accepted. */
    private static final int MOST = 20_000;

    private final Map<String, Entry> nodes = new HashMap<>();
    private final Clock clock;

    /** The time of the last {@link #attend}, and the total time before it in which this center was stalled. */
    private long attendedNanos;

    private long missedNanos;

    /**
     * A report.
     *
     * @param isOwn whether the node sent it to this center
     * @param atNanos the time of its arrival
     * @param liveNanos the start of the period in which the next report is expected
     */
    private record Entry(
            NodeReport report, NodeState.Way way, boolean isOwn, long atNanos, long liveNanos, long atMillis) {

        boolean isNews(NodeReport next) {
            return next.beat() > report.beat()
                    || next.identity().startedMillis() != report.identity().startedMillis();
        }
    }

    public LiveNodes(Clock clock) {
        this.clock = clock;
        this.attendedNanos = clock.nanoTime();
    }

    /** Records that this center is running. Called several times a second. */
    public synchronized void attend() {
        long now = clock.nanoTime();
        missedNanos += Math.max(0, now - attendedNanos - PAUSE_NANOS);
        attendedNanos = now;
    }

    /**
     * Takes a report. Returns whether it was new. A report through Redis can be forged by any client with write access, so it does not
     * replace reports of a node that is live over HTTP.
     */
    public boolean report(NodeReport report, NodeState.Way way) {
        return take(report, way, true);
    }

    private synchronized boolean take(NodeReport report, NodeState.Way way, boolean isOwn) {
        Entry known = nodes.get(report.node());
        if (known != null && !known.isNews(report)) {
            return false;
        }
        if (known == null && nodes.size() >= MOST) {
            return false;
        }
        if (known != null && way == NodeState.Way.REDIS && known.way() == NodeState.Way.HTTP && isLive(known, now())) {
            return false;
        }
        long now = now();
        nodes.put(report.node(), new Entry(report.state(), way, isOwn, now, now, clock.epochMicros() / 1000));
        return true;
    }

    /**
     * Takes a report from the database, possibly from another center. It is ignored if the node has sent a newer report to this center in
     * the meantime.
     */
    public synchronized void learn(NodeReport report) {
        Entry known = nodes.get(report.node());
        if (known != null
                && report.identity().startedMillis() < known.report().identity().startedMillis()
                && isLive(known, now())) {
            return;
        }
        boolean unused = take(report, NodeState.Way.HTTP, false);
    }

    /**
     * Expects all recently live nodes again, because this center took over from the center that they may have reported to. They count as
     * live until they report to a center, or have been silent for {@link #SILENCE_NANOS}.
     */
    public synchronized void takeOver() {
        long now = now();
        nodes.replaceAll((id, entry) -> now - entry.atNanos() > TAKEOVER_NANOS
                ? entry
                : new Entry(entry.report(), entry.way(), entry.isOwn(), entry.atNanos(), now, entry.atMillis()));
    }

    /** Returns the reports of live nodes that sent them over HTTP to this center. */
    public synchronized List<NodeReport> own() {
        long now = now();
        return nodes.values().stream()
                .filter(entry -> entry.isOwn() && entry.way() == NodeState.Way.HTTP && isLive(entry, now))
                .map(Entry::report)
                .toList();
    }

    /** Returns all known nodes by name. */
    public synchronized List<NodeState> all() {
        long now = now();
        List<NodeState> all = new ArrayList<>();
        nodes.values().forEach(entry -> all.add(state(entry, now)));
        all.sort(Comparator.comparing(
                        (NodeState state) -> state.report().identity().name())
                .thenComparing(state -> state.report().node()));
        return all;
    }

    /** Returns the nodes that reported recently. */
    public List<NodeState> live() {
        return all().stream().filter(NodeState::live).toList();
    }

    /** Returns the live nodes that take released rules. */
    public List<NodeState> followers() {
        return live().stream().filter(node -> node.report().rules().follows()).toList();
    }

    /** Returns the number of these nodes that have a revision of the adjustments. */
    public int appliedBy(long revision) {
        return (int) followers().stream()
                .filter(node -> node.report().rules().adjustments() >= revision)
                .count();
    }

    public synchronized Optional<NodeState> find(String id) {
        return Optional.ofNullable(nodes.get(id)).map(entry -> state(entry, now()));
    }

    /** Forgets nodes that have been silent for an hour. Returns their ids. */
    public synchronized List<String> forget() {
        long now = now();
        List<String> silent = nodes.entrySet().stream()
                .filter(entry -> now - entry.getValue().atNanos() > FORGOTTEN_NANOS)
                .map(Map.Entry::getKey)
                .toList();
        nodes.keySet().removeAll(silent);
        return silent;
    }

    /** Returns the time in which this center was running. */
    private long now() {
        return Math.min(clock.nanoTime(), attendedNanos + PAUSE_NANOS) - missedNanos;
    }

    private static NodeState state(Entry entry, long nowNanos) {
        return new NodeState(entry.report(), entry.way(), isLive(entry, nowNanos), entry.atMillis());
    }

    private static boolean isLive(Entry entry, long nowNanos) {
        return nowNanos - entry.liveNanos() <= SILENCE_NANOS;
    }
}
