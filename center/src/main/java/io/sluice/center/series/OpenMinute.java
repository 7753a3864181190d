package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The seconds of a minute in memory, while figures may still be added. Not thread-safe. */
final class OpenMinute {

    /**
     * The maximum number of rules with their own figures in a minute. Decisions of other rules are in the figures of the fleet
     * and of the node.
     */
    static final int MOST_RULES = 20_000;

    /** The maximum number of nodes with their own figures in a minute. */
    static final int MOST_NODES = 1_000;

    private final Map<Integer, Block> parts;
    private long position;
    private long firstUnwritten = Long.MAX_VALUE;
    private long writtenMillis;
    private int rules;
    private int nodes;

    private OpenMinute(Map<Integer, Block> parts, long position) {
        this.parts = parts;
        this.position = position;
        parts.forEach((part, block) -> {
            if (SeriesKey.isOfRules(part)) {
                rules += block.tracks().size();
            } else if (part != SeriesKey.FLEET_PART) {
                nodes += block.tracks().size();
            }
        });
    }

    static OpenMinute empty() {
        return new OpenMinute(new TreeMap<>(), 0);
    }

    /** Reopens a written minute, so that late data can be added. */
    static OpenMinute of(Map<Integer, Block> parts, long position) {
        return new OpenMinute(parts, position);
    }

    /** Adds counts. Returns the number of figures for which there was no room. */
    long add(long batch, String node, int second, SecondCounts counts) {
        long crowded = 0;
        Figures total = counts.total();
        block(SeriesKey.FLEET_PART).made("").add(second, total, counts.latencies());
        Track own = track(SeriesKey.node(node));
        if (own == null) {
            crowded++;
        } else {
            own.add(second, total, counts.latencies());
        }
        for (Map.Entry<String, Figures> rule : counts.rules().entrySet()) {
            Track track = track(SeriesKey.rule(rule.getKey()));
            if (track == null) {
                crowded++;
            } else {
                track.add(second, rule.getValue(), Latencies.NONE);
            }
        }
        position = batch;
        firstUnwritten = Math.min(firstUnwritten, batch);
        return crowded;
    }

    /** Returns the track of a rule or node; null if there is no room for another one. */
    private @Nullable Track track(SeriesKey key) {
        Block block = block(key.part());
        Track known = block.track(key.name());
        if (known != null) {
            return known;
        }
        if (key.isRule() ? rules == MOST_RULES : nodes == MOST_NODES) {
            return null;
        }
        if (key.isRule()) {
            rules++;
        } else {
            nodes++;
        }
        return block.made(key.name());
    }

    private Block block(int part) {
        return parts.computeIfAbsent(part, made -> new Block(Segment.SECONDS));
    }

    Map<Integer, Block> parts() {
        return parts;
    }

    long position() {
        return position;
    }

    /** Returns the position of the first batch that is not in a file; {@link Long#MAX_VALUE} if all batches are. */
    long firstUnwritten() {
        return firstUnwritten;
    }

    boolean isWritten() {
        return firstUnwritten == Long.MAX_VALUE;
    }

    void written(long nowMillis) {
        firstUnwritten = Long.MAX_VALUE;
        writtenMillis = nowMillis;
    }

    long writtenMillis() {
        return writtenMillis;
    }
}
