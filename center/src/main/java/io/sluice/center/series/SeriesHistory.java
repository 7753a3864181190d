package io.sluice.center.series;

import io.sluice.center.database.Database;
import io.sluice.center.series.SeriesRows.Kind;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes generated figures of the past into the database of a center, as if another center had been running before. For
 * demonstrations, tests and measurements.
 */
public final class SeriesHistory {

    private static final String CENTER = "00000000-0000-4000-8000-000000000028";

    /** A source of figures by the name of a rule or node. */
    @FunctionalInterface
    public interface Source {

        /**
         * Returns the figures of a step.
         *
         * @param second the start of the step
         * @param seconds the length of the step
         */
        Map<String, Figures> at(long second, long seconds);
    }

    private final Database database;
    private final Source rules;
    private final Source nodes;

    /** Creates a history of a database from the figures of rules and the figures of nodes. */
    public SeriesHistory(Database database, Source rules, Source nodes) {
        this.database = database;
        this.rules = rules;
        this.nodes = nodes;
    }

    /** Writes minutes from one second until before another. */
    public void minutes(long from, long until) {
        write(Kind.MINUTES, from, until, false);
    }

    /** Writes hours from one second until before another. The last hour may be partial. */
    public void hours(long from, long until) {
        write(Kind.HOURS, from, until, false);
    }

    /** Writes hours of whole days that all equal the first day, and minutes of whole hours in the same way. This is fast. */
    public void repeated(long firstDay, long firstHour, long until) {
        write(Kind.HOURS, Kind.HOURS.start(firstDay), Kind.HOURS.start(until), true);
        write(Kind.MINUTES, Kind.MINUTES.start(firstHour), Kind.MINUTES.start(until), true);
    }

    /** Writes each block in its own transaction, so that the center can write in between. */
    private void write(Kind kind, long from, long until, boolean isRepeated) {
        Map<Integer, Block> first = isRepeated ? blocks(kind, kind.start(from), from, until) : Map.of();
        for (long start = kind.start(from); start < until; start += kind.seconds()) {
            long begin = start;
            Map<Integer, Block> blocks = isRepeated ? first : blocks(kind, begin, from, until);
            boolean unused = database.write(client -> {
                blocks.forEach((part, block) -> SeriesRows.insert(client, kind, part, begin, CENTER, block));
                // The hours of these minutes are written separately.
                return client.sql("UPDATE series_block SET rolled = 1 WHERE center = ? AND rolled = 0")
                                .param(CENTER)
                                .update()
                        >= 0;
            });
        }
    }

    private Map<Integer, Block> blocks(Kind kind, long start, long from, long until) {
        Map<Integer, Block> blocks = new TreeMap<>();
        for (int slot = 0; slot < kind.slots(); slot++) {
            long second = start + slot * kind.stepSeconds();
            if (second >= from && second < until) {
                Map<Integer, Map<String, SeriesSum>> sums = sums(second, Math.min(kind.stepSeconds(), until - second));
                for (Map.Entry<Integer, Map<String, SeriesSum>> each : sums.entrySet()) {
                    blocks.computeIfAbsent(each.getKey(), made -> new Block(kind.slots()))
                            .replace(slot, 1, each.getValue());
                }
            }
        }
        return blocks;
    }

    private Map<Integer, Map<String, SeriesSum>> sums(long second, long seconds) {
        Map<Integer, Map<String, SeriesSum>> parts = new HashMap<>();
        Figures[] fleet = {Figures.NONE};
        rules.at(second, seconds).forEach((rule, figures) -> {
            fleet[0] = fleet[0].plus(figures);
            put(parts, SeriesKey.rule(rule), figures, seconds, Latencies.NONE);
        });
        nodes.at(second, seconds)
                .forEach((node, figures) ->
                        put(parts, SeriesKey.node(node), figures, seconds, latencies(figures.requests())));
        put(parts, SeriesKey.FLEET, fleet[0], seconds, latencies(fleet[0].requests()));
        return parts;
    }

    private static void put(
            Map<Integer, Map<String, SeriesSum>> parts, SeriesKey key, Figures figures, long seconds, Latencies times) {
        if (figures.isNone()) {
            return;
        }
        parts.computeIfAbsent(key.part(), made -> new HashMap<>())
                .put(
                        key.name(),
                        new SeriesSum(
                                figures.allowed(),
                                figures.refused(),
                                figures.shadowRefused(),
                                figures.degraded(),
                                figures.allowed() * 5 / 4 / seconds,
                                figures.refused() * 2 / seconds,
                                times));
    }

    /** Returns latencies of around half a millisecond. */
    public static Latencies latencies(long requests) {
        long[] spans = new long[Latencies.SPANS];
        spans[Latencies.span(300_000)] = requests * 7 / 10;
        spans[Latencies.span(700_000)] = requests * 2 / 10;
        spans[Latencies.span(1_600_000)] = requests - requests * 7 / 10 - requests * 2 / 10 - requests / 100;
        spans[Latencies.span(4_200_000)] = requests / 100;
        return Latencies.of(spans);
    }
}
