package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import java.util.Map;
import java.util.TreeMap;

/** The seconds of a minute in memory, as long as something may be added to them. Not thread-safe. */
final class OpenMinute {

    /** So many rules have figures of their own in a minute. What others decided is in the figures of the fleet and of the node. */
    static final int MOST_RULES = 20_000;

    /** So many nodes have figures of their own in a minute. */
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

    /** Returns a minute that was written, so that late data can be added. */
    static OpenMinute of(Map<Integer, Block> parts, long position) {
        return new OpenMinute(parts, position);
    }

    /** Adds counts. Returns how many of its figures had no room. */
    long add(long batch, String node, int second, SecondCounts counts) {
        long crowded = 0;
        Figures total = counts.total();
        made(SeriesKey.FLEET).add(second, total, counts.latencies());
        SeriesKey own = SeriesKey.node(node);
        if (hasRoom(own, nodes < MOST_NODES)) {
            made(own).add(second, total, counts.latencies());
        } else {
            crowded++;
        }
        for (Map.Entry<String, Figures> rule : counts.rules().entrySet()) {
            SeriesKey key = SeriesKey.rule(rule.getKey());
            if (hasRoom(key, rules < MOST_RULES)) {
                made(key).add(second, rule.getValue(), Latencies.NONE);
            } else {
                crowded++;
            }
        }
        position = batch;
        firstUnwritten = Math.min(firstUnwritten, batch);
        return crowded;
    }

    private boolean hasRoom(SeriesKey key, boolean free) {
        Block block = parts.get(key.part());
        return free || (block != null && block.track(key.name()) != null);
    }

    private Track made(SeriesKey key) {
        Block block = parts.computeIfAbsent(key.part(), made -> new Block(Segment.SECONDS));
        if (block.track(key.name()) == null && key.part() != SeriesKey.FLEET_PART) {
            if (key.isRule()) {
                rules++;
            } else {
                nodes++;
            }
        }
        return block.made(key.name());
    }

    Map<Integer, Block> parts() {
        return parts;
    }

    long position() {
        return position;
    }

    /** Returns the first batch that is not in a file; {@link Long#MAX_VALUE} if all are. */
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
