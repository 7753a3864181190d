package io.sluice.center.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.series.SeriesRows.Kind;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sizes in {@code docs/reference/traffic-data.md} are upper bounds of what generated traffic takes: every rule is active in every
 * second, with numbers that follow the time of day and vary at random. Some minutes are measured, and the rest is their multiple.
 */
class SeriesSizeTest {

    private static final Path DOCS = Path.of("../docs/reference/traffic-data.md");
    private static final int NODES = 10;
    private static final int MINUTES_OF_HOUR = 60;
    private static final int BLOCKS_OF_MINUTES = 48;
    private static final int BLOCKS_OF_HOURS = 365;

    @TempDir
    Path data;

    @Test
    void sizesOf500RulesAreAsStated() throws Exception {
        measure(500);
    }

    @Test
    @Tag("long")
    void sizesOf10000RulesAreAsStated() throws Exception {
        measure(10_000);
    }

    private void measure(int rules) throws Exception {
        Random random = new Random(rules);
        Map<String, Long> sizes = new LinkedHashMap<>();
        sizes.put("seconds", ring(rules, random) * (MINUTES_OF_HOUR + 1));
        sizes.put("minutes", blocks(rules, Kind.MINUTES, random) * BLOCKS_OF_MINUTES);
        sizes.put("hours", blocks(rules, Kind.HOURS, random) * BLOCKS_OF_HOURS);
        Map<String, Long> stated = stated(rules);
        sizes.forEach((kind, bytes) -> assertThat(bytes).as(kind).isBetween(stated.get(kind) / 4, stated.get(kind)));
    }

    /** Returns the bytes of the file of one minute. */
    private long ring(int rules, Random random) throws Exception {
        Path folder = data.resolve("ring-" + rules);
        Files.createDirectories(folder);
        long now = SeriesBench.START * 1_000;
        OpenMinute minute = OpenMinute.empty();
        for (int second = 0; second < Segment.SECONDS; second++) {
            for (int node = 0; node < NODES; node++) {
                Map<String, Figures> figures = new TreeMap<>();
                for (int rule = node; rule < rules; rule += NODES) {
                    figures.put(name(rule), figures(random, rule, 1));
                }
                long unused = minute.add(
                        1, "node-" + node, second, new SecondCounts(0, figures, SeriesBench.latencies(random, 500)));
            }
        }
        Segment.write(folder, now / 60_000, 1, minute.parts());
        try (Stream<Path> files = Files.list(folder)) {
            return files.mapToLong(SeriesSizeTest::size).sum();
        }
    }

    /** Returns the bytes of the rows of one hour of minutes, or one day of hours. */
    private static long blocks(int rules, Kind kind, Random random) {
        Map<Integer, Block> parts = new TreeMap<>();
        int seconds = (int) kind.stepSeconds();
        for (int slot = 0; slot < kind.slots(); slot++) {
            for (int rule = 0; rule < rules; rule++) {
                set(parts, SeriesKey.rule(name(rule)), kind, slot, figures(random, rule, seconds), Latencies.NONE);
            }
            for (int node = 0; node <= NODES; node++) {
                set(
                        parts,
                        node == NODES ? SeriesKey.FLEET : SeriesKey.node("node-" + node),
                        kind,
                        slot,
                        figures(random, node, seconds * rules / NODES),
                        SeriesBench.latencies(random, 5_000));
            }
        }
        return parts.values().stream()
                .mapToLong(block -> block.toBytes().length)
                .sum();
    }

    private static void set(
            Map<Integer, Block> parts, SeriesKey key, Kind kind, int slot, Figures figures, Latencies took) {
        long seconds = kind.stepSeconds();
        parts.computeIfAbsent(key.part(), made -> new Block(kind.slots()))
                .made(key.name())
                .set(
                        slot,
                        new SeriesSum(
                                figures.allowed(),
                                figures.refused(),
                                figures.shadowRefused(),
                                figures.degraded(),
                                figures.allowed() * 3 / seconds,
                                figures.refused() * 5 / seconds,
                                took));
    }

    /** Some rules have many requests and some have few, and every tenth refuses. */
    private static Figures figures(Random random, int rule, int seconds) {
        double mean = Math.exp(rule * 37 % 100 / 15.0) * seconds;
        long allowed = Math.max(0, Math.round(mean + random.nextGaussian() * Math.sqrt(mean) * 2));
        return new Figures(allowed, rule % 10 == 0 ? allowed * random.nextInt(20) / 100 : 0, 0, 0);
    }

    private static String name(int rule) {
        return "service-" + rule % 37 + "-orders-" + rule;
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the megabytes in the table of the page, in bytes. */
    private static Map<String, Long> stated(int rules) throws IOException {
        Map<String, Long> stated = new LinkedHashMap<>();
        Matcher row = Pattern.compile("(?m)^\\| (seconds|minutes|hours) \\| [^|]* \\| (\\d+) MB \\| (\\d+) MB \\|")
                .matcher(Files.readString(DOCS));
        while (row.find()) {
            stated.put(row.group(1), Long.parseLong(row.group(rules == 500 ? 2 : 3)) * 1_000_000);
        }
        assertThat(stated).containsOnlyKeys("seconds", "minutes", "hours");
        return stated;
    }
}
