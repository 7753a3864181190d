package io.sluice.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.history.GapEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import io.sluice.testkit.SeededRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordingCheckTest {

    private static final long T = 1_700_000_000_000_000L;
    private static final long MANY = 1_000_000;

    @TempDir
    private Path dir;

    private int folders;

    private Path folder(String name) throws IOException {
        return Files.createDirectories(dir.resolve(name));
    }

    private static Path file(Path folder, String run, int number) {
        return folder.resolve(run + "-" + number + ".history");
    }

    /** Writes the events of a run to some files, one after the other. */
    private static void write(Path folder, String run, List<HistoryEvent> events, int files) throws IOException {
        write(folder, run, events, files, true);
    }

    /** @param whole whether the process ended well */
    private static void write(Path folder, String run, List<HistoryEvent> events, int files, boolean whole)
            throws IOException {
        int each = Math.max(1, (events.size() + files - 1) / files);
        for (int i = 0; i < files; i++) {
            HistoryFile file = HistoryFile.create(
                    file(folder, run, i + 1), new HistoryFile.Part(run, run, i + 1, T + i), HistoryFile.Names.PLAIN);
            for (int e = i * each; e < Math.min(events.size(), (i + 1) * each); e++) {
                file.write(events.get(e));
            }
            if (i < files - 1) {
                file.next();
            } else if (whole) {
                file.end(0);
            } else {
                file.flush();
                file.close();
            }
        }
    }

    private Path write(String name, History history, int files) throws IOException {
        Path folder = folder(name);
        for (History.Node node : history.nodes()) {
            write(folder, node.name(), node.events(), files, node.whole());
        }
        return folder;
    }

    private static RecordingReport check(Path folder, long atOnce) throws IOException {
        return new RecordingCheck(atOnce).check(folder);
    }

    @Test
    void judgesTheFilesOfARunAsOneHistory() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            History history = Simulation.run(seed, Bug.NONE, 400);
            RecordingReport report = check(write("clean" + seed, history, 4), MANY);
            assertThat(report.check().violations()).as("seed %d", seed).isEmpty();
            assertThat(report.files()).isEqualTo(4 * history.nodes().size());
            assertThat(report.runs()).isEqualTo(history.nodes().size());
            assertThat(report.check()).isEqualTo(withBegin(HistoryChecker.check(history), report.check()));
        }
    }

    /** Files tell when they were begun, so the checker may know more about strangers. */
    private static CheckReport withBegin(CheckReport known, CheckReport other) {
        return new CheckReport(
                known.violations(),
                known.found(),
                known.steps(),
                known.missing(),
                known.unchecked(),
                known.answers(),
                known.spends(),
                known.earlier(),
                other.strangers(),
                known.steady());
    }

    @Test
    void findsTheSameWithLittleMemory() throws IOException {
        for (Bug bug : SeededRandom.sample(List.of(Bug.values()), 12)) {
            History history = Simulation.run(7, bug, 1_500);
            Path folder = write(bug.name(), history, 3);
            CheckReport all = check(folder, MANY).check();
            CheckReport shares = check(folder, 200).check();
            assertThat(shares.found()).as(bug.name()).isEqualTo(all.found());
            assertThat(List.of(shares.steps(), shares.missing(), shares.answers(), shares.spends()))
                    .as(bug.name())
                    .isEqualTo(List.of(all.steps(), all.missing(), all.answers(), all.spends()));
        }
    }

    @Test
    void raisesNoAlarmOverAGap() throws IOException {
        int incomplete = 0;
        for (int seed = 0; seed < 60; seed++) {
            History history = Simulation.run(seed, Bug.NONE, 400);
            Random random = new Random(seed);
            Path folder = folder("gap" + seed);
            for (History.Node node : history.nodes()) {
                List<HistoryEvent> events = new ArrayList<>(node.events());
                int from = random.nextInt(events.size() / 2 + 1);
                int to = Math.min(events.size(), from + 1 + random.nextInt(50));
                int missing = to - from;
                events.subList(from, to).clear();
                events.add(from, new GapEvent(missing, T));
                write(folder, node.name(), events, 2, node.whole());
            }
            RecordingReport report = check(folder, MANY);
            assertThat(report.check().violations()).as("seed %d", seed).isEmpty();
            assertThat(report.gaps()).isEqualTo(history.nodes().size());
            incomplete += report.verdict() == RecordingReport.Verdict.INCOMPLETE ? 1 : 0;
        }
        assertThat(incomplete).isEqualTo(60);
    }

    @Test
    void judgesARunWhoseFirstFilesAreGoneFromThereOn() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Path folder = write("gone" + seed, Simulation.run(seed, Bug.NONE, 400), 4);
            for (Path first : files(folder, "-1.history")) {
                Files.delete(first);
            }
            RecordingReport report = check(folder, MANY);
            assertThat(report.check().violations()).as("seed %d", seed).isEmpty();
            assertThat(report.remarks()).anyMatch(remark -> remark.contains("its first files are gone"));
        }
    }

    @Test
    void saysThatAFileInTheMiddleIsMissing() throws IOException {
        Path folder = write("middle", Simulation.run(3, Bug.NONE, 400), 4);
        Files.delete(files(folder, "-2.history").get(0));
        RecordingReport report = check(folder, MANY);
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.INCOMPLETE);
        assertThat(report.unjudged()).anyMatch(reason -> reason.contains("files 2 to 2 are missing"));
    }

    @Test
    void saysThatAKilledProcessMayHaveDoneMore() throws IOException {
        Path folder = write("cut", Simulation.run(5, Bug.NONE, 400), 2);
        for (Path last : files(folder, "-2.history")) {
            byte[] bytes = Files.readAllBytes(last);
            Files.write(last, Arrays.copyOf(bytes, bytes.length - 15));
        }
        RecordingReport report = check(folder, MANY);
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.INCOMPLETE);
        assertThat(report.unjudged()).anyMatch(reason -> reason.contains("it has no end"));
    }

    @Test
    void doesNotTakeAFileThatIsBeingWrittenForThatOfAKilledProcess() throws IOException {
        Path folder = folder("live");
        try (HistoryFile file = HistoryFile.create(
                file(folder, "n", 1), new HistoryFile.Part("n", "n", 1, T), HistoryFile.Names.PLAIN)) {
            file.write(charge(limit(5), T, "k"));
            file.flush();
            RecordingReport report = check(folder, MANY);
            assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.CLEAN);
            assertThat(report.remarks()).anyMatch(remark -> remark.contains("still being written"));
        }
    }

    @Test
    void namesTheLineThatIsDamaged() throws IOException {
        Path folder = write("damaged", Simulation.run(5, Bug.NONE, 50), 1);
        Path file = files(folder, "-1.history").get(0);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.set(2, "[\"x\"]");
        Files.write(file, lines);
        assertThatThrownBy(() -> check(folder, MANY))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + ":3: ");
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    private static Limit limit(long most) {
        return Limit.named("l").fixedWindow(most, Duration.ofDays(1));
    }

    /** A step on a count of the process. */
    private static StepEvent step(String key, long at, StepEvent.Step step) {
        return new StepEvent("c-" + key, StepEvent.LOCAL, 0, true, at, step);
    }

    private static StepEvent asked(Demand demand, long at) {
        Verdict verdict = new Verdict(true, demand.permits(), 0, 0, 0, 0, at);
        return step(demand.key(), at, new StepEvent.Asked("1", demand, true, 1, verdict));
    }

    private static StepEvent asked(Limit limit, long at, long permits, long keep) {
        return asked(Demand.of(limit, "k", 1).keeping(keep).permits(permits), at);
    }

    private static StepEvent charge(Limit limit, long at, String key) {
        return asked(Demand.of(limit, key, 1), at);
    }

    private static StepEvent back(Limit limit, long chargedAt, String key) {
        return step(key, chargedAt + 1, new StepEvent.GivenBack(new Charge(limit, key, 1, chargedAt, "")));
    }

    private static StepEvent hold(Limit limit, long at, String holder) {
        return asked(Demand.of(limit, "k", 1).heldBy(holder), at);
    }

    private static StepEvent release(Limit limit, long at, String holder) {
        return step("k", at + 1, new StepEvent.GivenBack(new Charge(limit, "k", 1, at, holder)));
    }

    private static StepEvent settled(Limit limit, long at, String id, long reserved, long actual, long change) {
        Settlement settlement = new Settlement(limit, "k", reserved, actual, T, id, 60_000_000);
        return step("k", at, new StepEvent.Settled(settlement, change));
    }

    private RecordingReport local(HistoryEvent... events) throws IOException {
        Path folder = folder("local" + folders++);
        write(folder, "n", List.of(events), 1);
        return check(folder, MANY);
    }

    private List<Violation> violations(HistoryEvent... events) throws IOException {
        return local(events).check().violations();
    }

    private List<Violation.Kind> kinds(HistoryEvent... events) throws IOException {
        return violations(events).stream().map(Violation::kind).toList();
    }

    @Test
    void findsOneMoreThanTheLimitOnACountOfTheProcess() throws IOException {
        Limit limit = limit(5);
        List<HistoryEvent> events = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            // Recorded in another order than they took effect.
            events.add(0, charge(limit, T + i, "a"));
            events.add(charge(limit, T + i, "b"));
        }
        RecordingReport clean = local(events.toArray(HistoryEvent[]::new));
        assertThat(clean.verdict()).isEqualTo(RecordingReport.Verdict.CLEAN);
        assertThat(clean.decisions()).isEqualTo(10);
        assertThat(clean.limits()).containsExactly("l");

        events.add(charge(limit, T + 9, "a"));
        RecordingReport report = local(events.toArray(HistoryEvent[]::new));
        assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.VIOLATED);
        assertThat(report.check().violations()).hasSize(1);
        assertThat(report.check().violations().get(0).toString()).contains("6 admitted", "expected: at most 5");
    }

    @Test
    void doesNotCountReturnedPermitsOfTheProcess() throws IOException {
        Limit limit = limit(1);
        RecordingReport report = local(charge(limit, T, "a"), back(limit, T, "a"), charge(limit, T + 5, "a"));
        assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.CLEAN);
    }

    @Test
    void countsNothingAcrossAGapOnCountsOfTheProcess() throws IOException {
        Limit limit = limit(1);
        RecordingReport report = local(charge(limit, T, "a"), new GapEvent(1, T + 1), charge(limit, T + 5, "a"));
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.INCOMPLETE);
        assertThat(report.lost()).isEqualTo(1);
    }

    @Test
    void findsTooManyPermitsThatTheProcessHoldsAtOnce() throws IOException {
        Limit limit = Limit.named("h").concurrency(1, Duration.ofMinutes(1));
        assertThat(kinds(hold(limit, T, "x"), release(limit, T, "x"), hold(limit, T + 2, "y")))
                .isEmpty();
        assertThat(violations(hold(limit, T, "x"), hold(limit, T + 2, "y")))
                .singleElement()
                .satisfies(violation -> assertThat(violation.sentence()).contains("2 held at once"));
    }

    static List<Limit> settledLimits() {
        return List.of(
                Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(10),
                Limit.named("window").fixedWindow(10, Duration.ofDays(1_000)),
                Limit.named("sliding").slidingWindow(10, Duration.ofDays(1)),
                Limit.named("log").slidingLog(10, Duration.ofDays(1)));
    }

    @ParameterizedTest
    @MethodSource("settledLimits")
    void findsADecisionBesideADebtOnACountOfTheProcess(Limit limit) throws IOException {
        StepEvent reserved = asked(limit, T, 2, 0);
        StepEvent debt = settled(limit, T + 10, "r", 2, 30, 28);
        assertThat(kinds(debt, reserved, asked(limit, T + 10, 3, 0))).isEmpty();
        assertThat(kinds(debt, reserved, asked(limit, T + 11, 1, 0))).containsExactly(Violation.Kind.INTERVAL);
    }

    @ParameterizedTest
    @MethodSource("settledLimits")
    void countsWhatASettlementGaveBackToACountOfTheProcess(Limit limit) throws IOException {
        StepEvent reserved = asked(limit, T, 10, 0);
        StepEvent rest = settled(limit, T + 10, "r", 10, 4, -6);
        assertThat(kinds(reserved, rest, asked(limit, T + 11, 6, 0))).isEmpty();
        assertThat(kinds(reserved, rest, asked(limit, T + 11, 7, 0))).containsExactly(Violation.Kind.INTERVAL);
    }

    @ParameterizedTest
    @MethodSource("settledLimits")
    void findsAnAdmissionThatLeavesTooLittleForOthersOnACountOfTheProcess(Limit limit) throws IOException {
        StepEvent used = asked(limit, T, 4, 0);
        assertThat(kinds(used, asked(limit, T + 1, 1, 5))).isEmpty();
        assertThat(kinds(used, asked(limit, T + 1, 0, 6))).isEmpty();
        for (StepEvent greedy : List.of(asked(limit, T + 1, 1, 6), asked(limit, T + 1, 0, 7))) {
            assertThat(violations(used, greedy)).singleElement().satisfies(violation -> assertThat(violation.sentence())
                    .contains("for others"));
        }
    }

    @ParameterizedTest
    @MethodSource("settledLimits")
    void findsSettlementsThatAreNoneOnACountOfTheProcess(Limit limit) throws IOException {
        StepEvent reserved = asked(limit, T, 3, 0);
        StepEvent first = settled(limit, T + 5, "r", 3, 1, -2);
        StepEvent second = settled(limit, T + 6, "r", 3, 1, -2);
        GapEvent gap = new GapEvent(1, T);
        assertThat(kinds(reserved, first)).isEmpty();
        // Behind a gap, the reservation may be in the gap.
        assertThat(kinds(gap, first)).isEmpty();
        assertThat(kinds(reserved, first, second)).containsExactly(Violation.Kind.SETTLED);
        assertThat(kinds(reserved, first, gap, second)).containsExactly(Violation.Kind.SETTLED);
        assertThat(kinds(reserved, settled(limit, T + 5, "r", 3, 0, -4)))
                .as("more than was reserved")
                .containsExactly(Violation.Kind.SETTLED);
        assertThat(kinds(reserved, settled(limit, T + 5, "r", 3, 1, 1)))
                .as("the wrong sign")
                .containsExactly(Violation.Kind.SETTLED);
        assertThat(kinds(reserved, first, settled(limit, T + 6, "other", 3, 1, -2)))
                .as("a reservation that nobody made")
                .containsExactly(Violation.Kind.SETTLED);
    }

    /** A replica that takes over may lack a settlement, and settles it when it is sent again. A store that lacks nothing may not. */
    @ParameterizedTest
    @MethodSource("settledLimits")
    void allowsAReservationToBeSettledAgainAfterAFailoverOnly(Limit limit) throws IOException {
        Path again = write("again", settledTwice(limit, Bug.NONE, true), 1);
        Path twice = write("twice", settledTwice(limit, Bug.SETTLED_TWICE, false), 1);
        for (long atOnce : List.of(MANY, 1L)) {
            assertThat(check(again, atOnce).check().violations()).isEmpty();
            assertThat(check(twice, atOnce).check().violations())
                    .extracting(Violation::kind)
                    .containsExactly(Violation.Kind.SETTLED);
        }
    }

    @Test
    void saysWhatIsNotJudgedIfTimeSteppedBack() throws IOException {
        Limit limit = Limit.named("x").fixedWindow(100, Duration.ofDays(1));
        SimulatedStore store = new SimulatedStore(Bug.NONE, T);
        Demand demand = Demand.of(limit, "k", 3);
        List<HistoryEvent> events = new ArrayList<>();
        events.add(charge(store, demand));
        events.add(Objects.requireNonNull(store.settle(new Settlement(limit, "k", 3, 1, T, "r", 60_000_000))));
        assertThat(check(write("steady", settling(events), 1), MANY).verdict())
                .isEqualTo(RecordingReport.Verdict.CLEAN);

        store.nowMicros = T - 1_500_000;
        events.add(charge(store, demand));
        RecordingReport report = check(write("back", settling(events), 1), MANY);
        assertThat(report.verdict()).isEqualTo(RecordingReport.Verdict.INCOMPLETE);
        assertThat(report.unjudged())
                .singleElement()
                .asString()
                .startsWith("whether leases stayed within their share and reservations were settled once: the time");
    }

    private static History settling(List<HistoryEvent> events) {
        return new History(List.of(new History.Node("n", true, List.copyOf(events))));
    }

    /**
     * A reservation is settled, something else is charged, and the reservation is settled again. In between, the store loses the last two
     * of these steps, or none. The first charge after that is in no recording, so nothing tells that the settlement was lost, too.
     */
    private static History settledTwice(Limit limit, Bug bug, boolean failsOver) {
        SimulatedStore store = new SimulatedStore(bug, T);
        store.replicate();
        Demand demand = Demand.of(limit, "k", 3);
        List<HistoryEvent> events = new ArrayList<>();
        StepEvent reserved = charge(store, demand);
        events.add(reserved);
        long chargedAt = ((StepEvent.Asked) reserved.step()).verdict().chargedAtMicros();
        Settlement settlement = new Settlement(limit, "k", 3, 1, chargedAt, "r", 60_000_000);
        store.nowMicros = T + 10;
        events.add(Objects.requireNonNull(store.settle(settlement)));
        store.nowMicros = T + 20;
        events.add(charge(store, demand));
        store.nowMicros = T + 30;
        if (failsOver) {
            store.failOver(2);
            StepEvent unused = charge(store, demand);
        }
        store.nowMicros = T + 40;
        events.add(Objects.requireNonNull(store.settle(settlement)));
        return new History(List.of(new History.Node("n", true, events)));
    }

    private static StepEvent charge(SimulatedStore store, Demand demand) {
        return store.decide(List.of(List.of(demand)), List.of(""), true, T)
                .get(0)
                .get(0);
    }
}
