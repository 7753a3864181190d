package io.sluice.center.series;

import io.sluice.center.database.Database;
import io.sluice.center.series.SeriesRows.Kind;
import io.sluice.center.series.SeriesRows.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Moves minutes from files into the database, and hours from blocks of minutes into blocks of hours. Each step replaces the
 * earlier content, so repeating a step after a crash changes nothing. Used by one thread at a time.
 */
final class RollUp {

    /** The number of seconds after its end when an hour becomes part of its day. */
    private static final long HOUR_GRACE = 120;

    /** The number of seconds after which another center rolls up the last hours of a center that is gone. */
    private static final long GONE = TimeUnit.HOURS.toSeconds(4);

    private static final int AT_ONCE = 200;

    private final Database database;
    private final SecondsRing ring;
    private final String center;

    /** The hours before this time have been rolled up, as far as they were stored. */
    private long rolledBefore;

    RollUp(Database database, SecondsRing ring, String center) {
        this.database = database;
        this.ring = ring;
        this.center = center;
    }

    /** Returns the last batch of each minute of a center in the database, for minutes of this time or later. */
    static Map<Long, Long> stored(Database database, String center, long fromSecond) {
        Map<Long, Long> stored = new HashMap<>();
        List<Row> rows = database.read(client -> SeriesRows.read(
                client, Kind.MINUTES, SeriesKey.FLEET_PART, Kind.MINUTES.start(fromSecond), Long.MAX_VALUE));
        for (Row row : rows) {
            for (int slot = 0; slot < Kind.MINUTES.slots() && row.center().equals(center); slot++) {
                if (row.block().position(slot) > 0) {
                    stored.put(row.at(slot) / Segment.SECONDS, row.block().position(slot));
                }
            }
        }
        return stored;
    }

    /** Does all due work. */
    void run(long nowMillis) {
        Map<Long, TreeMap<Long, Long>> hours = new TreeMap<>();
        ring.unstored().forEach((minute, position) -> hours.computeIfAbsent(
                        Kind.MINUTES.start(minute * Segment.SECONDS), made -> new TreeMap<>())
                .put(minute, position));
        hours.forEach((start, minutes) -> {
            rolledBefore = Math.min(rolledBefore, start);
            store(start, minutes);
        });
        long now = Math.floorDiv(nowMillis, 1_000);
        long ended = Kind.MINUTES.start(now - HOUR_GRACE);
        if (rolledBefore == ended) {
            return;
        }
        while (roll(ended, ended - GONE) == AT_ONCE) {
            // More blocks may be due.
        }
        rolledBefore = ended;
    }

    /** Stores minutes of the same hour. */
    private void store(long start, Map<Long, Long> minutes) {
        Map<Integer, Map<Long, Map<String, SeriesSum>>> parts = new TreeMap<>();
        Map<Long, Long> read = new TreeMap<>();
        minutes.forEach((minute, position) -> {
            Optional<Map<Integer, Block>> written = ring.written(minute);
            if (written.isPresent()) {
                read.put(minute, position);
                written.get().forEach((part, block) -> parts.computeIfAbsent(part, made -> new TreeMap<>())
                        .put(minute, sums(block)));
            }
        });
        boolean unused = database.write(client -> {
            parts.forEach((part, sums) -> store(client, start, part, sums, read));
            return true;
        });
        read.forEach(ring::stored);
    }

    private void store(
            JdbcClient client,
            long start,
            int part,
            Map<Long, Map<String, SeriesSum>> sums,
            Map<Long, Long> positions) {
        Optional<Row> known = SeriesRows.find(client, Kind.MINUTES, part, start, center);
        Block block = known.map(Row::block).orElseGet(() -> new Block(Kind.MINUTES.slots()));
        positions.forEach((minute, position) -> block.replace(
                Kind.MINUTES.slot(minute * Segment.SECONDS), position, sums.getOrDefault(minute, Map.of())));
        if (known.isPresent()) {
            SeriesRows.update(client, known.get());
        } else {
            SeriesRows.insert(client, Kind.MINUTES, part, start, center, block);
        }
    }

    private static Map<String, SeriesSum> sums(Block block) {
        Map<String, SeriesSum> sums = new HashMap<>();
        block.tracks().forEach((name, track) -> sums.put(name, track.seconds(0, Segment.SECONDS)));
        return sums;
    }

    /** Rolls up some hours. Returns the number of blocks that were due. */
    private int roll(long before, long beforeOfOthers) {
        return database.write(client -> {
            List<Row> due = SeriesRows.unrolled(client, center, before, beforeOfOthers, AT_ONCE);
            for (Row minutes : due) {
                roll(client, minutes);
            }
            return due.size();
        });
    }

    private static void roll(JdbcClient client, Row minutes) {
        long day = Kind.HOURS.start(minutes.start());
        Optional<Row> known = SeriesRows.find(client, Kind.HOURS, minutes.part(), day, minutes.center());
        Block block = known.map(Row::block).orElseGet(() -> new Block(Kind.HOURS.slots()));
        Map<String, SeriesSum> sums = new HashMap<>();
        minutes.block().tracks().forEach((name, track) -> sums.put(name, track.sum()));
        block.replace(Kind.HOURS.slot(minutes.start()), 0, sums);
        if (known.isPresent()) {
            SeriesRows.update(client, known.get());
        } else {
            SeriesRows.insert(client, Kind.HOURS, minutes.part(), day, minutes.center(), block);
        }
        SeriesRows.rolled(client, minutes);
    }
}
