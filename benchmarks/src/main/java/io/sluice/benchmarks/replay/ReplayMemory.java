package io.sluice.benchmarks.replay;

import io.sluice.core.local.LocalEngine;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.run.Replay;
import io.sluice.replay.run.ReplayResult;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.LongUnaryOperator;

/**
 * Measures the memory of a replay: the heap in use after a collection, above that at the beginning. Each row fills one of the bounds that
 * {@code docs/reference/replays.md} states. The last row is a long log, which is generated while it is read.
 */
public final class ReplayMemory {

    private static final int CALLERS = 100_000;
    private static final long CALLERS_REFUSED = 4_000_000;

    private ReplayMemory() {}

    /**
     * One row.
     *
     * @param things how many of what is counted are in memory at the end
     */
    private record Filled(
            String what, String rules, long lines, int perSecond, LongUnaryOperator callers, long things) {}

    /** Measures and returns a table. */
    public static String table(long longLog) throws IOException {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "A heap of at most %,d MB. Memory is the heap in use after a collection, above that at the beginning.%n%n",
                Runtime.getRuntime().maxMemory() >> 20));
        table.append("| what                                     |       lines |  most memory | bytes each |\n");
        table.append("|------------------------------------------|-------------|--------------|------------|\n");
        long before = usedAfterCollection();
        long keys = LocalEngine.DEFAULT_MAX_KEYS;
        String slow = "{ id: a, limits: [{ by: ip, rate: 1/d, burst: 100 }] }";
        String window = "{ id: a, limits: [{ by: ip, algorithm: %s, limit: 100, window: 1d }] }";
        for (Filled each : List.of(
                new Filled("counts, token bucket", slow, keys, 50, line -> line, keys),
                new Filled("counts, fixed window", window.formatted("fixed_window"), keys, 50, line -> line, keys),
                new Filled("counts, sliding window", window.formatted("sliding_window"), keys, 50, line -> line, keys),
                new Filled(
                        "refused callers",
                        "{ id: a, resource: /api/**, action: deny }",
                        CALLERS_REFUSED,
                        100,
                        line -> line,
                        CALLERS_REFUSED),
                new Filled(
                        "waiting lines, 10,000 per second",
                        "{ id: a, limits: [{ by: user, rate: 1000/s }] }",
                        1_500_000,
                        10_000,
                        line -> line % 1_000,
                        600_000),
                new Filled(
                        "waiting lines, 30,000 per second",
                        "{ id: a, limits: [{ by: user, rate: 1000/s }] }",
                        3_000_000,
                        30_000,
                        line -> line % 1_000,
                        0))) {
            row(table, each, before);
        }
        Random random = new Random(29);
        row(
                table,
                new Filled(
                        "a long log, four limits",
                        ReplayLoad.RULES,
                        longLog,
                        4_000,
                        line -> (long) (CALLERS * Math.pow(random.nextDouble(), 3)),
                        0),
                before);
        return table.toString();
    }

    private static void row(StringBuilder table, Filled filled, long before) throws IOException {
        long[] most = {0, 0};
        long every = Math.max(50_000, filled.lines / 20);
        Replay replay = new Replay(rules(filled.rules), null, LocalEngine.DEFAULT_MAX_KEYS);
        LogInput input = LogInput.once("generated", new GeneratedLog(filled.lines, filled.perSecond, filled.callers));
        ReplayResult result;
        try (LogReader reader = LogReader.open(List.of(input), LogOptions.wanting(replay.attributes()))) {
            result = replay.run(reader, (requests, log) -> {
                if (requests >= most[1] + every || requests == filled.lines) {
                    most[0] = Math.max(most[0], usedAfterCollection() - before);
                    most[1] = requests;
                }
            });
        }
        if (result.requests() != filled.lines) {
            throw new IllegalStateException("requests: " + result.requests() + " (expected: " + filled.lines + ")");
        }
        table.append(String.format(
                Locale.ROOT,
                "| %-40s | %,11d | %,9.1f MB | %10s |%n",
                filled.what,
                filled.lines,
                most[0] / 1e6,
                filled.things == 0 ? "" : String.format(Locale.ROOT, "%,d", most[0] / filled.things)));
    }

    private static RuleSet rules(String rules) {
        String document = rules.startsWith("rules:") ? rules : "rules: [" + rules + "]";
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", document)).rules());
    }

    private static long usedAfterCollection() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
