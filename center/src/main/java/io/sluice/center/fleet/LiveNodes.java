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
 * <p>A node is live if its reports changed within the last five seconds, measured on the monotonic clock of this center. The
 * clocks of nodes and of other centers do not matter. A node that this center learns from the database gets the same five seconds
 * to prove that it lives. While this center itself stands still, no time passes: otherwise all nodes would seem silent when it
 * goes on.
 */
public final class LiveNodes {

    /** A node without news for this long is not live. */
    public static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A longer time without {@link #attend} counts as this much. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A node whose news are older than this was not live when another center took over. */
    private static final long TAKEOVER_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A node without news for this long is forgotten. */
    private static final long FORGOTTEN_NANOS = TimeUnit.HOURS.toNanos(1);

    /** More nodes are not accepted. */
    private static final int MOST = 20_000;

    private final Map<String, Entry> nodes = new HashMap<>();
    private final Clock clock;

    /** The last {@link #attend}, and the time before it in which this center stood still. */
    private long attendedNanos;

    private long missedNanos;

    /**
     * A report.
     *
     * @param isOwn whether the node sent it to this center
     * @param atNanos when it arrived
     * @param liveNanos when the time began in which the next one is expected
     */
    private record Entry(
            NodeReport report, NodeState.Way way, boolean isOwn, long atNanos, long liveNanos, long atMillis) {

        boolean isNews(NodeReport next) {
            return next.beat() > report.beat() || next.startedMillis() != report.startedMillis();
        }
    }

    public LiveNodes(Clock clock) {
        this.clock = clock;
        this.attendedNanos = clock.nanoTime();
    }

    /** Says that this center is awake. To be called several times a second. */
    public synchronized void attend() {
        long now = clock.nanoTime();
        missedNanos += Math.max(0, now - attendedNanos - PAUSE_NANOS);
        attendedNanos = now;
    }

    /**
     * Takes a report. Returns whether it was new. A report through Redis, which everybody who can write there can make, does not
     * replace those of a node that is live over HTTP.
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
     * Takes a report that the database has, perhaps from another center. It may be older than what the node told this center in the
     * meantime: then it is not news.
     */
    public synchronized void learn(NodeReport report) {
        Entry known = nodes.get(report.node());
        if (known != null && report.startedMillis() < known.report().startedMillis() && isLive(known, now())) {
            return;
        }
        boolean unused = take(report, NodeState.Way.HTTP, false);
    }

    /**
     * Expects all nodes again that were live lately, because this center took over from the one that they may have reported to. They count as
     * live until they report to some center, or stay silent for as long as a node that is not live.
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
        all.sort(Comparator.comparing((NodeState state) -> state.report().name())
                .thenComparing(state -> state.report().node()));
        return all;
    }

    /** Returns the nodes that reported lately. */
    public List<NodeState> live() {
        return all().stream().filter(NodeState::live).toList();
    }

    /** Returns the live nodes that take released rules. */
    public List<NodeState> followers() {
        return live().stream().filter(node -> node.report().follows()).toList();
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

    /** Returns the time in which this center was awake. */
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
