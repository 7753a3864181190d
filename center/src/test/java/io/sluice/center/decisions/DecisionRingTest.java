package io.sluice.center.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.data.DataIntake;
import io.sluice.center.data.StoredBatch;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionRingTest {

    /** A full minute. */
    private static final long START = 29_000_000L * 60_000;

    private static final String HASH = "h".repeat(43);

    private final ManualClock clock = QuietClock.at(START * 1_000);

    @TempDir
    Path folder;

    private long position;

    private static DecisionEntry entry(long at, String request, String rule, CallerMark caller) {
        return new DecisionEntry(
                at,
                request,
                "trace-" + request,
                "shop",
                "/orders",
                "GET",
                Map.of("user", new CallerMark("u****" + request, "user-hash-" + request)),
                rule,
                rule + "/0",
                Outcome.REJECTED,
                "limit reached",
                5,
                5,
                1,
                "remote",
                "",
                3,
                Optional.of(caller));
    }

    private static DecisionEntry entry(long at, String request) {
        return entry(at, request, "login", new CallerMark("203.0.113.*", HASH));
    }

    private void take(DecisionRing ring, String node, DecisionEntry... entries) {
        ring.take(new StoredBatch(
                ++position, node, 1, position, Kind.DECISIONS, 0, DecisionEntry.toBytes(List.of(entries))));
    }

    private long now() {
        return clock.epochMicros() / 1_000;
    }

    private void pass(DecisionRing ring, Duration time) {
        clock.advance(time);
        ring.turn(now());
    }

    private static DecisionQuery query(Map<Term, String> terms) {
        return new DecisionQuery(terms, 0, Long.MAX_VALUE, Optional.empty(), 50, Optional.empty(), true);
    }

    private static DecisionQuery all(int most, Optional<DecisionKey> before) {
        return new DecisionQuery(Map.of(), 0, Long.MAX_VALUE, before, most, Optional.empty(), true);
    }

    private static List<String> found(DecisionRing ring, DecisionQuery query) {
        return requests(ring.search(query));
    }

    private static List<String> requests(DecisionPage page) {
        return page.entries().stream().map(each -> each.entry().requestId()).toList();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.sorted().toList();
        }
    }

    private RingBounds bounds(long mostBytes, int inMinute, long searched) {
        return new RingBounds(Duration.ofHours(24), mostBytes, inMinute, 20_000_000, 60_000_000, searched);
    }

    @Test
    void isFoundByEachField() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        take(ring, "n1", entry(START, "r1", "login", new CallerMark("203.0.113.*", HASH)));
        take(ring, "n2", entry(START + 1, "r2", "orders", new CallerMark("", "x".repeat(43))));
        for (boolean isInFile : new boolean[] {false, true}) {
            if (isInFile) {
                pass(ring, Duration.ofMinutes(2));
                assertThat(files()).hasSize(1);
            }
            Map<Term, String> wanted = new EnumMap<>(Term.class);
            wanted.put(Term.RULE, "login");
            wanted.put(Term.LIMIT, "login/0");
            wanted.put(Term.NODE, "n1");
            wanted.put(Term.REQUEST, "r1");
            wanted.put(Term.TRACE, "trace-r1");
            wanted.put(Term.CALLER, "203.0.113.*");
            wanted.forEach((term, value) -> assertThat(found(ring, query(Map.of(term, value))))
                    .as(term.name())
                    .containsExactly("r1"));
            assertThat(found(ring, query(wanted))).containsExactly("r1");
            for (String caller : List.of(HASH, "u****r1", "user-hash-r1")) {
                assertThat(found(ring, query(Map.of(Term.CALLER, caller)))).containsExactly("r1");
            }
            assertThat(found(ring, query(Map.of(Term.CALLER, "#xxxxxxxx")))).containsExactly("r2");
            assertThat(found(ring, query(Map.of(Term.RESOURCE, "/orders")))).containsExactly("r2", "r1");
            assertThat(found(ring, query(Map.of(Term.OUTCOME, "rejected")))).containsExactly("r2", "r1");
            assertThat(found(ring, query(Map.of(Term.OUTCOME, "allowed")))).isEmpty();
            // One word of another field is no match.
            assertThat(found(ring, query(Map.of(Term.RULE, "r1")))).isEmpty();
            assertThat(found(ring, query(Map.of(Term.REQUEST, "login")))).isEmpty();
        }
    }

    @Test
    void timesBoundASearch() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        take(ring, "n", entry(START, "a"), entry(START + 1_000, "b"), entry(START + 2_000, "c"));
        DecisionQuery middle =
                new DecisionQuery(Map.of(), START + 1_000, START + 2_000, Optional.empty(), 50, Optional.empty(), true);
        DecisionPage page = ring.search(middle);
        assertThat(requests(page)).containsExactly("b");
        assertThat(page.next()).isEmpty();
        assertThat(page.searchedUntil()).isEqualTo(START + 1_000);
    }

    @Test
    void pagesHaveNoGapsAndNoRepeats() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        List<String> expected = new ArrayList<>();
        for (int minute = 0; minute < 4; minute++) {
            for (int i = 0; i < 25; i++) {
                String id = minute + "-" + i;
                // Five at the same time, in different batches.
                take(ring, "n", entry(now() + i / 5, id));
                expected.add(0, id);
            }
            pass(ring, Duration.ofMinutes(1));
        }
        List<String> got = new ArrayList<>();
        Optional<DecisionKey> before = Optional.empty();
        int pages = 0;
        do {
            DecisionPage page = ring.search(all(7, before));
            got.addAll(requests(page));
            before = page.next().map(DecisionKey::text).map(DecisionKey::parse);
            pages++;
        } while (before.isPresent());
        assertThat(got).isEqualTo(expected);
        assertThat(pages).isEqualTo(15);
    }

    @Test
    void aSearchStopsAfterItsShareOfWorkAndGoesOnFromItsCursor() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder, bounds(1_000_000_000, 60_000, 1));
        for (int minute = 0; minute < 10; minute++) {
            take(ring, "n", entry(now(), "r" + minute, minute == 2 ? "rare" : "common", new CallerMark("x", HASH)));
            // Its filter says that there is something of the rule, but not of this caller.
            take(ring, "n", entry(now(), "s" + minute, "rare", new CallerMark("y", "y".repeat(43))));
            pass(ring, Duration.ofMinutes(1));
        }
        Map<Term, String> terms = Map.of(Term.RULE, "rare", Term.CALLER, HASH);
        Optional<DecisionKey> before = Optional.empty();
        List<String> got = new ArrayList<>();
        int searches = 0;
        long lastUntil = Long.MAX_VALUE;
        do {
            DecisionPage page =
                    ring.search(new DecisionQuery(terms, 0, Long.MAX_VALUE, before, 50, Optional.empty(), true));
            got.addAll(requests(page));
            before = page.next();
            assertThat(page.searchedUntil()).isLessThan(lastUntil);
            lastUntil = page.searchedUntil();
            searches++;
        } while (before.isPresent());
        assertThat(got).containsExactly("r2");
        assertThat(searches).isEqualTo(10);
    }

    @Test
    void whatArrivesLateGoesIntoAFurtherFile() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        take(ring, "n", entry(START, "first"));
        pass(ring, Duration.ofMinutes(2));
        take(ring, "n", entry(START + 1, "late"));
        ring.turn(now());
        assertThat(files()).hasSize(1);
        assertThat(found(ring, all(50, Optional.empty()))).containsExactly("late", "first");
        pass(ring, Duration.ofMinutes(1));
        assertThat(files()).hasSize(2);
        assertThat(found(ring, all(50, Optional.empty()))).containsExactly("late", "first");
        assertThat(found(DecisionRing.open(clock, folder), all(50, Optional.empty())))
                .containsExactly("late", "first");
    }

    @Test
    void decisionsOfAnotherAgeAreNotKept() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        take(
                ring,
                "n",
                entry(START - Duration.ofHours(25).toMillis(), "old"),
                entry(START + Duration.ofHours(1).toMillis(), "future"),
                entry(Long.MAX_VALUE, "never"),
                entry(Long.MIN_VALUE, "ever"),
                entry(START, "now"));
        assertThat(found(ring, all(50, Optional.empty()))).containsExactly("now");
        assertThat(ring.outside()).isEqualTo(4);
    }

    @Test
    void aMinuteHasABoundAndTheRestIsCounted() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder, bounds(1_000_000_000, 10, 1_000_000));
        for (int i = 0; i < 15; i++) {
            take(ring, "n", entry(START + i, "r" + i));
        }
        assertThat(ring.search(all(50, Optional.empty())).dropped()).isEqualTo(5);
        pass(ring, Duration.ofMinutes(2));
        take(ring, "n", entry(START, "late"));
        DecisionPage page = ring.search(all(50, Optional.empty()));
        assertThat(page.entries()).hasSize(10);
        assertThat(page.dropped()).isEqualTo(6);
        // What is in a file is known after a restart.
        assertThat(DecisionRing.open(clock, folder)
                        .search(all(50, Optional.empty()))
                        .dropped())
                .isEqualTo(5);
    }

    @Test
    void theMemoryHasABound() throws IOException {
        RingBounds small = new RingBounds(Duration.ofHours(24), 1_000_000_000, 60_000, 20_000_000, 5_000, 1_000_000);
        DecisionRing ring = DecisionRing.open(clock, folder, small);
        for (int i = 0; i < 100; i++) {
            take(ring, "n", entry(START - i * 60_000L, "r" + i));
        }
        DecisionPage page = ring.search(all(500, Optional.empty()));
        assertThat(page.entries().stream().mapToInt(each -> each.json().length).sum())
                .isBetween(4_000, 5_000);
        assertThat(page.entries().size() + page.dropped()).isEqualTo(100);
    }

    @Test
    void theOldestMinutesGoFirst() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder, bounds(5_000, 60_000, 1_000_000));
        for (int i = 0; i < 30; i++) {
            take(ring, "n", entry(now(), "r" + i));
            pass(ring, Duration.ofMinutes(1));
        }
        List<String> kept = found(ring, all(50, Optional.empty()));
        assertThat(kept).startsWith("r29", "r28").doesNotContain("r0");
        assertThat(ring.fileBytes()).isLessThan(6_000);
        long onDisk = 0;
        for (Path file : files()) {
            onDisk += Files.size(file);
        }
        assertThat(onDisk).isEqualTo(ring.fileBytes());
    }

    @Test
    void aDayLaterNothingIsLeft() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        take(ring, "n", entry(START, "r"));
        pass(ring, Duration.ofMinutes(2));
        pass(ring, Duration.ofHours(23));
        assertThat(found(ring, all(50, Optional.empty()))).containsExactly("r");
        pass(ring, Duration.ofHours(1));
        assertThat(found(ring, all(50, Optional.empty()))).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aDamagedFileLosesOnlyItself() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        for (int i = 0; i < 3; i++) {
            take(ring, "n", entry(now(), "r" + i));
            pass(ring, Duration.ofMinutes(1));
        }
        pass(ring, Duration.ofMinutes(1));
        List<Path> files = files();
        assertThat(files).hasSize(3);
        byte[] body = Files.readAllBytes(files.get(0));
        Arrays.fill(body, body.length - 40, body.length, (byte) 7);
        Files.write(files.get(0), body);
        byte[] head = Files.readAllBytes(files.get(1));
        head[13] ^= 1;
        Files.write(files.get(1), head);
        assertThat(found(ring, all(50, Optional.empty()))).contains("r2").doesNotContain("r1");
        assertThat(ring.damaged()).isEqualTo(2);
        Files.write(folder.resolve("minute-1-1.tmp"), new byte[3]);
        Files.write(files.get(2).resolveSibling("minute-28999999-1"), new byte[0]);
        DecisionRing again = DecisionRing.open(clock, folder);
        assertThat(found(again, all(50, Optional.empty()))).contains("r2").doesNotContain("r1");
        assertThat(files()).hasSize(2);
    }

    @Test
    void erasesAllDecisionsOfASubjectAndNothingElse() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        for (int i = 0; i < 3; i++) {
            take(
                    ring,
                    "n",
                    entry(now(), "mine" + i),
                    entry(now(), "other" + i, "login", new CallerMark("203.0.113.*", "o".repeat(43))));
            pass(ring, Duration.ofMinutes(1));
        }
        // One of them is still in memory.
        assertThat(files()).hasSize(2);
        assertThat(ring.erasable().kind()).isEqualTo("decisions");
        assertThat(ring.erasable().erase(Set.of(HASH, "user-hash-other2"))).isEqualTo(4);
        assertThat(ring.erasable().erase(Set.of(HASH, "user-hash-other2"))).isZero();
        assertThat(found(ring, all(50, Optional.empty()))).containsExactly("other1", "other0");
        DecisionRing again = DecisionRing.open(clock, folder);
        assertThat(found(again, query(Map.of(Term.REQUEST, "other1")))).containsExactly("other1");
        assertThat(found(again, query(Map.of(Term.CALLER, HASH)))).isEmpty();
        for (Path file : files()) {
            try (SegmentFile segment = SegmentFile.open(file)) {
                segment.forEach(each -> assertThat(each.text()).doesNotContain(HASH));
            }
        }
    }

    /** With the real journal, and clocks of nodes that differ. */
    @Test
    void aRestartWithoutCloseLosesAndRepeatsNothing() throws IOException {
        Path journal = folder.resolve("journal");
        Path files = folder.resolve("ring");
        ManualClock skewed = QuietClock.at((START - Duration.ofMinutes(7).toMillis()) * 1_000);
        DataOutbox outbox = DataOutbox.acknowledged();
        List<String> expected = new ArrayList<>();
        DecisionRing ring = DecisionRing.open(clock, files);
        DataIntake intake = DataIntake.open(clock, List.of(ring), journal);
        for (int i = 0; i < 40; i++) {
            outbox.add(Kind.DECISIONS, DecisionEntry.toBytes(List.of(entry(skewed.epochMicros() / 1_000, "r" + i))));
            expected.add(0, "r" + i);
            NodeReport report = report("n", i).with(outbox.report(skewed.epochMicros() / 1_000));
            outbox.stored(intake.take(report).orElseThrow());
            if (i % 5 == 4) {
                // It is killed, and starts again.
                ring = DecisionRing.open(clock, files);
                intake = DataIntake.open(clock, List.of(ring), journal);
            }
            clock.advance(Duration.ofSeconds(10));
            skewed.advance(Duration.ofSeconds(10));
            intake.turn();
        }
        DecisionPage page = ring.search(all(100, Optional.empty()));
        assertThat(requests(page)).isEqualTo(expected);
        // By the clock of the center.
        assertThat(page.entries().get(39).entry().atMillis()).isEqualTo(START);
        intake.close();
        assertThat(ring.needsFrom()).isEqualTo(Long.MAX_VALUE);
        assertThat(found(DecisionRing.open(clock, files), all(100, Optional.empty())))
                .isEqualTo(expected);
    }

    @Test
    void aBatchThatCannotBeReadIsCounted() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder.resolve("ring"));
        DataIntake intake = DataIntake.open(clock, List.of(ring), folder.resolve("journal"));
        DataOutbox outbox = DataOutbox.acknowledged();
        String good = entry(START, "r").toJson();
        for (String bad : List.of(
                "{}",
                good.replace("2025-02-20", "x"),
                good.replaceAll("\"timestamp\":\"[^\"]*\"", "\"timestamp\":\"+1000000000-12-31T23:59:59Z\""),
                good.replace("\"rejected\"", "\"eaten\""))) {
            outbox.add(
                    Kind.DECISIONS,
                    new io.sluice.runtime.data.PackWriter()
                            .number(1)
                            .number(1)
                            .text(bad)
                            .toBytes());
        }
        outbox.add(Kind.DECISIONS, new byte[] {9, 9, 9});
        var unused = intake.take(report("n", 1).with(outbox.report(START)));
        assertThat(intake.damaged()).isGreaterThanOrEqualTo(4);
        assertThat(found(ring, query(Map.of(Term.RULE, "nothing")))).isEmpty();
        // The next start is not disturbed.
        DataIntake again = DataIntake.open(clock, List.of(ring), folder.resolve("journal"));
        again.close();
    }

    private static NodeReport report(String node, long beat) {
        return new NodeReport(
                new NodeIdentity(node, NodeReport.Kind.NODE, node, "test", 1),
                beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
    }

    @Test
    void aSearchBySomebodyOfATenantSkipsOtherRules() throws IOException {
        DecisionRing ring = DecisionRing.open(clock, folder);
        IntStream.range(0, 20)
                .forEach(i -> take(
                        ring,
                        "n",
                        entry(
                                START + i,
                                "r" + i,
                                i % 5 == 0 ? "own" : i % 5 == 1 ? "" : "other",
                                new CallerMark("x", HASH))));
        for (int turn = 0; turn < 2; turn++) {
            DecisionQuery query = new DecisionQuery(
                    Map.of(), 0, Long.MAX_VALUE, Optional.empty(), 50, Optional.of(Set.of("own", "third")), false);
            assertThat(found(ring, query)).containsExactly("r15", "r10", "r5", "r0");
            pass(ring, Duration.ofMinutes(2));
        }
    }
}
