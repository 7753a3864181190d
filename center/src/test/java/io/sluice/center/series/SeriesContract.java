package io.sluice.center.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every figure is what nodes sent, whatever happens on the way. */
abstract class SeriesContract {

    private static final long START = SeriesBench.START;
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final int RULES = 40;

    @TempDir
    Path data;

    private final ManualClock clock = SeriesBench.clock();
    private Database database;
    private SeriesBench bench;

    /** Returns the URL of a new database. */
    abstract String url();

    /** Returns how many seconds of traffic are compared with the model. */
    abstract int seconds();

    @BeforeEach
    void open() throws Exception {
        database = Database.open(url(), data);
        bench = new SeriesBench(database, data.resolve("traffic"), clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everyFigureOfThreeNodesIsWhatTheySentAlsoAfterRestartsAndCrashes() throws IOException {
        Random random = new Random(27);
        for (int second = 0; second < seconds(); second++) {
            bench.second();
            for (String node : NODES) {
                if (random.nextInt(4) == 0) {
                    int active = 1 + random.nextInt(6);
                    bench.send(
                            node,
                            bench.now() - 1 - (random.nextInt(50) == 0 ? random.nextInt(1_500) : 0),
                            SeriesBench.traffic(random, RULES, active),
                            SeriesBench.latencies(random, active));
                }
            }
            if (random.nextInt(700) == 0) {
                bench.crash();
            } else if (random.nextInt(900) == 0) {
                bench.restart();
            }
        }
        compareAll();
        bench.crash();
        compareAll();
        bench.restart();
        compareAll();
        bench.seconds(2 * 3_600);
        compare(SeriesStep.MINUTE, START - 3_600, bench.now());
        compare(SeriesStep.HOUR, START - 3_600, bench.now());
        assertThat(bench.series().late() + bench.series().ahead()).isZero();
    }

    private void compareAll() {
        compare(SeriesStep.SECOND, bench.now() - 3_600, bench.now());
        compare(SeriesStep.MINUTE, START - 3_600, bench.now());
        compare(SeriesStep.HOUR, START - 3_600, bench.now());
        compare(SeriesStep.DAY, START - 3_600, bench.now());
    }

    private void compare(SeriesStep step, long from, long until) {
        Series series = bench.series();
        assertThat(series.ofFleet(step, from, until)).isEqualTo(bench.model.points(SeriesKey.FLEET, step, from, until));
        for (String node : NODES) {
            assertThat(series.ofNode(node, step, from, until))
                    .isEqualTo(bench.model.points(SeriesKey.node(node), step, from, until));
        }
        Map<String, RuleTotal> sums = new TreeMap<>();
        for (int rule = 0; rule <= RULES; rule++) {
            String id = rule == RULES ? "" : "rule-" + rule;
            NavigableMap<Long, SeriesSum> expected = bench.model.points(SeriesKey.rule(id), step, from, until);
            assertThat(series.ofRule(id, step, from, until)).isEqualTo(expected);
            if (step != SeriesStep.SECOND && !expected.isEmpty()) {
                SeriesSum sum = expected.values().stream().reduce(SeriesSum.NONE, SeriesSum::then);
                sums.put(id, new RuleTotal(sum, lastAt(id, step, from, until)));
            }
        }
        if (step != SeriesStep.SECOND) {
            assertThat(new TreeMap<>(series.sumsByRule(step, step.start(from), until)))
                    .isEqualTo(sums);
        }
        assertThat(series.isComplete(step, from, until)).isTrue();
    }

    /** Hours that are long over have no minutes. */
    private long lastAt(String rule, SeriesStep step, long from, long until) {
        SeriesKey key = SeriesKey.rule(rule);
        long minute = bench.model.points(key, SeriesStep.MINUTE, from, until).lastKey();
        long hour = SeriesStep.HOUR.start(minute);
        return step == SeriesStep.MINUTE || hour >= SeriesStep.HOUR.start(bench.now() - 7_200) ? minute : hour;
    }

    @Test
    void alertsSeeTheSameSeconds() throws IOException {
        Random random = new Random(7);
        for (int second = 0; second < 400; second++) {
            bench.second();
            bench.send(NODES.get(second % 3), bench.now() - 1, SeriesBench.traffic(random, RULES, 3), Latencies.NONE);
        }
        for (long from : new long[] {bench.now() - 300, bench.now() - 61, bench.now() - 10}) {
            Series series = bench.series();
            assertThat(series.fleet(from, bench.now())).isEqualTo(sum(SeriesKey.FLEET, from));
            Map<String, Figures> rules = series.rules(from, bench.now());
            for (int rule = 0; rule < RULES; rule++) {
                String id = "rule-" + rule;
                assertThat(rules.getOrDefault(id, Figures.NONE)).isEqualTo(sum(SeriesKey.rule(id), from));
            }
            assertThat(series.nodes(from, bench.now()).get("n2")).isEqualTo(sum(SeriesKey.node("n2"), from));
        }
        assertThat(bench.series().rules(bench.now(), bench.now())).isEmpty();
    }

    private Figures sum(SeriesKey key, long from) {
        return bench.model.points(key, SeriesStep.SECOND, from, bench.now()).values().stream()
                .reduce(SeriesSum.NONE, SeriesSum::then)
                .figures();
    }

    @Test
    void aBatchThatComesTwiceCountsOnce() throws IOException {
        SecondCounts counts = new SecondCounts(START, Map.of("login", new Figures(5, 2, 0, 0)), Latencies.NONE);
        for (int i = 0; i < 3; i++) {
            var unused = bench.intake().take(SeriesBench.report("n1", 1, counts, START * 1_000));
            bench.crash();
            bench.seconds(70);
            bench.restart();
        }
        assertThat(bench.series().ofRule("login", SeriesStep.SECOND, START, START + 60))
                .isEqualTo(Map.of(START, new SeriesSum(5, 2, 0, 0, 5, 2, Latencies.NONE)));
    }

    @Test
    void aNodeWhoseClockIsWrongIsCountedAtTheRightTime() {
        SecondCounts counts =
                new SecondCounts(START - 86_400, Map.of("login", new Figures(5, 2, 0, 0)), Latencies.NONE);
        var unused = bench.intake().take(SeriesBench.report("n1", 1, counts, (START - 86_399) * 1_000));
        assertThat(bench.series().ofRule("login", SeriesStep.SECOND, START - 60, START + 60))
                .containsOnlyKeys(START - 1);
    }

    @Test
    void dataThatIsTooOldOrOfATimeToComeIsLeftOutAndCounted() {
        bench.send("n1", START - 3_700, "login", 1, 0);
        // Before the first turn, it could be what was lost in a crash.
        assertThat(bench.series().late()).isZero();
        bench.second();
        bench.send("n1", bench.now() - 3_720, "login", 1, 0);
        bench.send("n1", bench.now() + 180, "login", 1, 0);
        bench.send("n1", bench.now() + 10, "login", 1, 0);
        assertThat(bench.series().late()).isEqualTo(1);
        assertThat(bench.series().ahead()).isEqualTo(1);
        assertThat(bench.series().ofFleet(SeriesStep.SECOND, START, START + 600))
                .containsOnlyKeys(START + 11);
    }

    @Test
    void aPeakIsTheHighestSecondOfTheWholeFleet() {
        bench.second();
        bench.send("n1", START, "login", 100, 1);
        bench.send("n2", START, "login", 50, 2);
        bench.send("n1", START + 1, "login", 120, 9);
        bench.send("n2", START + 60, "login", 10, 0);
        SeriesSum hour = bench.series()
                .ofRule("login", SeriesStep.HOUR, START, START + 3_600)
                .get(START);
        assertThat(hour).isEqualTo(new SeriesSum(280, 12, 0, 0, 150, 9, Latencies.NONE));
        assertThat(bench.series()
                        .ofNode("n1", SeriesStep.MINUTE, START, START + 60)
                        .get(START)
                        .peakAllowed())
                .isEqualTo(120);
    }

    @Test
    void lateDataOpensItsMinuteAgainAlsoWhenItsHourIsOver() throws IOException {
        bench.seconds(61);
        bench.send("n1", START + 3_000 - 3_000, "login", 1, 1);
        bench.seconds(3_500);
        bench.send("n2", START + 30, "login", 2, 0);
        bench.seconds(3_600);
        SeriesSum sum = new SeriesSum(3, 1, 0, 0, 2, 1, Latencies.NONE);
        assertThat(bench.series().ofRule("login", SeriesStep.MINUTE, START, bench.now()))
                .isEqualTo(Map.of(START, sum));
        bench.seconds(3 * 3_600);
        assertThat(bench.series().ofRule("login", SeriesStep.HOUR, START, bench.now()))
                .isEqualTo(Map.of(START, sum));
    }

    @Test
    void whatACrashLeftInTheJournalIsCountedEvenHoursLater() throws IOException {
        bench.second();
        bench.send("n1", bench.now(), "login", 7, 3);
        clock.advance(Duration.ofHours(3));
        bench.crash();
        bench.seconds(5);
        bench.crash();
        bench.seconds(5);
        assertThat(bench.series().ofRule("login", SeriesStep.MINUTE, START, bench.now()))
                .isEqualTo(Map.of(START, new SeriesSum(7, 3, 0, 0, 7, 3, Latencies.NONE)));
        assertThat(bench.series()
                        .ofRule("login", SeriesStep.HOUR, START, bench.now())
                        .get(START)
                        .allowed())
                .isEqualTo(7);
    }

    @Test
    void aDamagedFileIsReportedAndTheRestIsRead() throws IOException {
        for (int minute = 0; minute < 4; minute++) {
            bench.second();
            bench.send("n1", bench.now(), "login", minute + 1, 0);
            bench.seconds(59);
        }
        bench.seconds(120);
        Path file = Segment.file(bench.segments(), START / 60 + 1);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 5] ^= 1;
        Files.write(file, bytes);
        Path cut = Segment.file(bench.segments(), START / 60 + 2);
        Files.write(cut, new byte[10]);
        bench.crash();
        bench.second();
        assertThat(bench.series().ofFleet(SeriesStep.SECOND, START, bench.now()).values())
                .extracting(SeriesSum::allowed)
                .contains(1L, 4L)
                .doesNotContain(3L);
        // The last part of the file is that of the node.
        assertThat(bench.series()
                        .ofNode("n1", SeriesStep.SECOND, START, bench.now())
                        .values())
                .extracting(SeriesSum::allowed)
                .containsExactly(1L, 4L);
        assertThat(bench.series().damaged()).isEqualTo(2);
        assertThat(bench.series().isComplete(SeriesStep.SECOND, START, bench.now()))
                .isFalse();
        bench.send("n2", START + 70, "login", 100, 0);
        assertThat(bench.series().late()).isEqualTo(1);
        // The database had these minutes already.
        assertThat(bench.series().ofFleet(SeriesStep.MINUTE, START, bench.now()).values())
                .extracting(SeriesSum::allowed)
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(bench.series().isComplete(SeriesStep.MINUTE, START, bench.now()))
                .isTrue();
        bench.seconds(3_700);
        assertThat(file).doesNotExist();
        assertThat(bench.series().damaged()).isZero();
    }

    @Test
    void filesAreRemovedAfterAnHourAndOnlyThen() throws IOException {
        for (int minute = 0; minute < 130; minute++) {
            bench.second();
            bench.send("n1", bench.now(), "login", 1, 0);
            bench.seconds(59);
        }
        try (var files = Files.list(bench.segments())) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith(Segment.PREFIX)))
                    .hasSizeBetween(58, 61);
        }
        assertThat(bench.series().ofFleet(SeriesStep.SECOND, bench.now() - 3_600, bench.now()))
                .hasSize(60);
        assertThat(bench.series().needsFrom()).isGreaterThan(120);
    }

    @Test
    void moreRulesThanThereIsRoomForAreInTheTotals() {
        bench.second();
        Map<String, Figures> many = new TreeMap<>();
        for (int i = 0; i < OpenMinute.MOST_RULES + 5; i++) {
            many.put("rule-" + i, new Figures(1, 0, 0, 0));
        }
        bench.send("n1", bench.now(), many, Latencies.NONE);
        assertThat(bench.series().crowded()).isEqualTo(5);
        assertThat(bench.series().fleet(bench.now(), bench.now() + 1).allowed()).isEqualTo(OpenMinute.MOST_RULES + 5);
    }

    @Test
    void hugeNumbersStopAtTheHighestOne() throws IOException {
        bench.second();
        long[] counts = new long[Latencies.SPANS];
        counts[3] = SeriesSum.MOST;
        for (int i = 0; i < 3; i++) {
            bench.send(
                    "n1",
                    bench.now(),
                    Map.of("login", new Figures(SeriesSum.MOST, SeriesSum.MOST, SeriesSum.MOST, SeriesSum.MOST)),
                    Latencies.of(counts));
        }
        bench.seconds(200);
        bench.restart();
        assertThat(bench.series()
                        .ofFleet(SeriesStep.MINUTE, START, bench.now())
                        .get(START)
                        .allowed())
                .isEqualTo(SeriesSum.MOST);
    }
}
