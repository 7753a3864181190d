package io.sluice.center.series;

import io.sluice.center.database.Database;
import io.sluice.center.series.SeriesRows.Kind;
import io.sluice.center.series.SeriesRows.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads series. Minutes come from the database, or from the ring if the database does not have them yet. The database is read
 * first, so data that moves from the ring to the database is not missed. Thread-safe.
 */
final class SeriesReader {

    /** The number of recent seconds for which hours are computed from minutes. Older hours are complete in blocks of hours. */
    private static final long RECENT = 2 * 3_600;

    private final Database database;
    private final SecondsRing ring;
    private final String center;

    SeriesReader(Database database, SecondsRing ring, String center) {
        this.database = database;
        this.ring = ring;
        this.center = center;
    }

    /**
     * The figures of some rules or nodes in one step.
     *
     * @param newest the last decision of each of them, in an hour that is computed from minutes
     */
    private record Slice(long at, String center, Block block, int slot, Map<String, Long> newest) {

        Slice(long at, String center, Block block, int slot) {
            this(at, center, block, slot, Map.of());
        }

        /** The slot of a block that is one whole minute of seconds. */
        static final int ALL_SECONDS = -1;

        void each(BiConsumer<String, SeriesSum> seen) {
            block.tracks().forEach((name, track) -> {
                if (slot == ALL_SECONDS || !track.isEmpty(slot)) {
                    seen.accept(name, sum(track));
                }
            });
        }

        RuleTotal total(String name, SeriesSum sum) {
            return new RuleTotal(sum, newest.getOrDefault(name, at));
        }

        SeriesSum sum(Track track) {
            return slot == ALL_SECONDS ? track.seconds(0, Segment.SECONDS) : track.at(slot);
        }
    }

    /** Returns the steps that are not empty, by the second in which they start. */
    NavigableMap<Long, SeriesSum> points(SeriesKey key, SeriesStep step, long from, long until, long now) {
        TreeMap<Long, SeriesSum> points = new TreeMap<>();
        if (step == SeriesStep.SECOND) {
            seconds(points, key, from, until);
        } else {
            for (Slice slice : slices(key.part(), step, step.start(from), until, now)) {
                Track track = slice.block.track(key.name());
                SeriesSum sum = track == null ? SeriesSum.NONE : slice.sum(track);
                if (!sum.isNone()) {
                    points.merge(slice.at, sum, SeriesSum::beside);
                }
            }
        }
        return step == SeriesStep.DAY ? days(points) : points;
    }

    /** Returns the sums of all rules over a time span that starts and ends with a step. */
    Map<String, RuleTotal> rules(SeriesStep step, long from, long until, long now) {
        Map<String, RuleTotal> rules = new HashMap<>();
        for (int part = SeriesKey.FIRST_RULES; part < SeriesKey.FIRST_NODES; part++) {
            Map<Long, List<Slice>> byTime = slices(part, step, from, until, now).stream()
                    .collect(Collectors.groupingBy(Slice::at, TreeMap::new, Collectors.toList()));
            for (List<Slice> together : byTime.values()) {
                Map<String, RuleTotal> totals = new HashMap<>();
                together.forEach(slice -> slice.each((name, sum) -> {
                    if (!sum.isNone()) {
                        totals.merge(name, slice.total(name, sum), RuleTotal::beside);
                    }
                }));
                totals.forEach((name, total) -> rules.merge(name, total, RuleTotal::then));
            }
        }
        return rules;
    }

    private void seconds(Map<Long, SeriesSum> points, SeriesKey key, long from, long until) {
        for (long minute : ring.positions(Math.floorDiv(from, 60L), Math.floorDiv(until - 1, 60L) + 1)
                .keySet()) {
            ring.track(minute, key).ifPresent(track -> {
                for (int slot = 0; slot < Segment.SECONDS; slot++) {
                    long second = minute * Segment.SECONDS + slot;
                    if (second >= from && second < until && !track.isEmpty(slot)) {
                        points.put(second, track.second(slot));
                    }
                }
            });
        }
    }

    private static NavigableMap<Long, SeriesSum> days(NavigableMap<Long, SeriesSum> hours) {
        TreeMap<Long, SeriesSum> days = new TreeMap<>();
        hours.forEach((at, sum) -> days.merge(SeriesStep.DAY.start(at), sum, SeriesSum::then));
        return days;
    }

    private List<Slice> slices(int part, SeriesStep step, long from, long until, long now) {
        return step == SeriesStep.MINUTE ? minutes(part, from, until) : hours(part, from, until, now);
    }

    private List<Slice> minutes(int part, long from, long until) {
        List<Slice> slices = new ArrayList<>();
        List<Row> rows =
                database.read(client -> SeriesRows.read(client, Kind.MINUTES, part, Kind.MINUTES.start(from), until));
        Map<Long, Long> newest = ring.positions(Math.floorDiv(from, 60L), Math.floorDiv(until - 1, 60L) + 1);
        Map<Long, Long> held = new HashMap<>();
        Function<Row, Boolean> isOwn = row -> row.center().equals(center);
        for (Row row : rows) {
            for (int slot = 0; slot < Kind.MINUTES.slots() && isOwn.apply(row); slot++) {
                held.put(row.at(slot) / Segment.SECONDS, row.block().position(slot));
            }
        }
        Set<Long> fromRing = new HashSet<>();
        newest.forEach((minute, position) -> {
            if (position > held.getOrDefault(minute, 0L)) {
                fromRing.add(minute);
                ring.part(minute, part)
                        .ifPresent(block ->
                                slices.add(new Slice(minute * Segment.SECONDS, center, block, Slice.ALL_SECONDS)));
            }
        });
        for (Row row : rows) {
            for (int slot = 0; slot < Kind.MINUTES.slots(); slot++) {
                long at = row.at(slot);
                boolean isOld = isOwn.apply(row) && fromRing.contains(at / Segment.SECONDS);
                if (at >= from && at < until && !isOld) {
                    slices.add(new Slice(at, row.center(), row.block(), slot));
                }
            }
        }
        slices.sort(Comparator.comparingLong(Slice::at));
        return slices;
    }

    private List<Slice> hours(int part, long from, long until, long now) {
        long recent = SeriesStep.HOUR.start(now - RECENT);
        List<Slice> slices = new ArrayList<>();
        if (from < recent) {
            slices.addAll(rolled(part, from, Math.min(until, recent)));
        }
        if (until > recent) {
            slices.addAll(hoursOfMinutes(minutes(part, Math.max(from, recent), until)));
        }
        return slices;
    }

    private List<Slice> rolled(int part, long from, long until) {
        List<Row> waiting = new ArrayList<>();
        List<Row> rows = database.read(client -> {
            waiting.clear();
            waiting.addAll(SeriesRows.unrolled(client, part, from, until));
            return SeriesRows.read(client, Kind.HOURS, part, Kind.HOURS.start(from), until);
        });
        List<Slice> slices = new ArrayList<>();
        Set<String> replaced = new HashSet<>();
        for (Row row : waiting) {
            Block hour = new Block(1);
            row.block().tracks().forEach((name, track) -> hour.made(name).set(0, track.sum()));
            slices.add(new Slice(row.start(), row.center(), hour, 0));
            replaced.add(row.start() + row.center());
        }
        for (Row row : rows) {
            for (int slot = 0; slot < Kind.HOURS.slots(); slot++) {
                long at = row.at(slot);
                if (at >= from && at < until && !replaced.contains(at + row.center())) {
                    slices.add(new Slice(at, row.center(), row.block(), slot));
                }
            }
        }
        return slices;
    }

    /** Returns one slice for each hour of each center. */
    private static List<Slice> hoursOfMinutes(List<Slice> minutes) {
        Map<Long, Map<String, Slice>> hours = new TreeMap<>();
        for (Slice minute : minutes) {
            long at = SeriesStep.HOUR.start(minute.at);
            Slice hour = hours.computeIfAbsent(at, made -> new TreeMap<>())
                    .computeIfAbsent(minute.center, made -> new Slice(at, made, new Block(1), 0, new HashMap<>()));
            minute.each((name, sum) -> {
                if (!sum.isNone()) {
                    Track track = hour.block.made(name);
                    track.set(0, track.at(0).then(sum));
                    hour.newest.merge(name, minute.at, Math::max);
                }
            });
        }
        return hours.values().stream()
                .flatMap(centers -> centers.values().stream())
                .toList();
    }

    /** Returns whether another center has figures of a time span. Their seconds are not available here. */
    boolean isElsewhere(long from, long until) {
        return database.read(client -> client.sql("SELECT COUNT(*) FROM series_block WHERE step = ? AND part = ?"
                                + " AND start_at >= ? AND start_at < ? AND center <> ?")
                        .params(Kind.MINUTES.word(), SeriesKey.FLEET_PART, Kind.MINUTES.start(from), until, center)
                        .query(Long.class)
                        .single()
                > 0);
    }

    /** Returns the start of the oldest block of a kind; {@link Long#MAX_VALUE} if there is none. */
    long oldest(Kind kind) {
        return database.read(client -> client.sql(
                        "SELECT COALESCE(MIN(start_at), " + Long.MAX_VALUE + ") FROM series_block WHERE step = ?")
                .param(kind.word())
                .query(Long.class)
                .single());
    }
}
