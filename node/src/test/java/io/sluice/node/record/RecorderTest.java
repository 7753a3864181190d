package io.sluice.node.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.history.RecordingCheck;
import io.sluice.history.RecordingReport;
import io.sluice.history.RecordingReport.Verdict;
import io.sluice.history.Violation;
import io.sluice.node.config.RecordingSettings;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class RecorderTest {

    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Limit DAILY = Limit.named("daily").fixedWindow(3, Duration.ofDays(1));

    private final ManualClock clock = QuietClock.at(1_700_000_000_000_000L);
    private final KeySettings keys =
            new KeySettings(KeySecret.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII)), 64);

    @TempDir
    private Path dir;

    private Path folder() {
        return dir.resolve("recording");
    }

    private RecordingSettings settings() {
        return new RecordingSettings(
                folder(),
                RecordingSettings.LEAST_SIZE,
                Duration.ofHours(1),
                4 * RecordingSettings.LEAST_SIZE,
                Duration.ofDays(7),
                Set.of());
    }

    private Limiter limiter(Recorder recorder) {
        LocalEngine engine = LocalEngine.builder()
                .clock(clock)
                .returnListener(recorder.returns())
                .build();
        return new Limiter(engine, clock, List.of(recorder.decisions()));
    }

    private RecordingReport report() throws IOException {
        return new RecordingCheck(1_000_000).check(folder());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> RecordingName.of(file).isPresent())
                    .sorted()
                    .toList();
        }
    }

    private String content() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Path file : files()) {
            text.append(Files.readString(file));
        }
        return text.toString();
    }

    private static void written(Recorder recorder, long count) {
        Await.until(count + " are recorded", PATIENCE, () -> recorder.recorded() + recorder.dropped() >= count);
    }

    @Test
    void recordsWhatTheProcessDecidesAndDoesNotTellForWhom() throws IOException {
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            Limiter limiter = limiter(recorder);
            for (int i = 0; i < 5; i++) {
                limiter.decide(DAILY, "user=alice-4711");
                limiter.decide(DAILY, "tenant=acme&user=bob-0815");
            }
            limiter.giveBack(limiter.decide(DAILY, "user=carol-99"));
        }
        RecordingReport report = report();
        assertThat(report.verdict()).isEqualTo(Verdict.CLEAN);
        assertThat(report.decisions()).isEqualTo(11);
        assertThat(report.check().steps()).isEqualTo(12);
        assertThat(content()).contains("user=#", "tenant=#").doesNotContain("alice", "4711", "acme", "bob", "carol");
    }

    @Test
    void recordsWhatIsKeptForOthersAndWhatIsSettled() throws IOException {
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            LocalEngine engine = LocalEngine.builder()
                    .clock(clock)
                    .returnListener(recorder.returns())
                    .build();
            Limiter limiter = new Limiter(engine, clock, List.of(recorder.decisions()));
            Decision reserved = limiter.decide(List.of(Demand.of(DAILY, "user=alice-4711", 3)));
            List<Settlement> settlements = reserved.outcome().charges(reserved.ask()).stream()
                    .map(charge -> Settlement.of(charge, 1, "r-17", 60_000_000))
                    .toList();
            assertThat(settlements).hasSize(1);
            assertThat(engine.settleNow(settlements))
                    .extracting(SettlementResult::change)
                    .containsExactly(-2L);
            assertThat(engine.settleNow(settlements))
                    .extracting(SettlementResult::kind)
                    .containsExactly(SettlementResult.Kind.REPEATED);
            Demand keeping = Demand.of(DAILY, "user=alice-4711", 1).keeping(DAILY.capacity() - 1);
            assertThat(limiter.decide(List.of(keeping)).allowed()).isFalse();
        }
        RecordingReport report = report();
        assertThat(report.verdict()).isEqualTo(Verdict.CLEAN);
        assertThat(report.settlements()).isEqualTo(1);
        assertThat(report.decisions()).isEqualTo(2);
        assertThat(content()).contains("\"r-17\"").doesNotContain("alice");

        // The same settlement a second time, as a process would record it that settles twice.
        Path history = files().stream()
                .filter(file -> file.toString().endsWith(".history"))
                .findFirst()
                .orElseThrow();
        List<String> lines = new ArrayList<>(Files.readAllLines(history));
        String settled = lines.stream()
                .filter(line -> line.startsWith("[\"c\""))
                .findFirst()
                .orElseThrow();
        lines.add(lines.indexOf(settled), settled);
        Files.writeString(history, String.join("\n", lines));
        assertThat(report().check().violations()).extracting(Violation::kind).containsExactly(Violation.Kind.SETTLED);
    }

    /** Threads that settle, keep and decide at once, by the clock of the system: the order of the lines is not that of the effects. */
    @Test
    void raisesNoAlarmOverThreadsThatSettleAtOnce() throws Exception {
        List<Limit> limits = List.of(
                Limit.named("bucket").tokenBucket(Rate.perSecond(5_000)).withBurst(20),
                Limit.named("window").fixedWindow(20, Duration.ofMillis(2)),
                Limit.named("sliding").slidingWindow(20, Duration.ofMillis(4)).withSlices(4),
                Limit.named("log").slidingLog(20, Duration.ofMillis(2)));
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        RecordingSettings some = settings();
        RecordingSettings all = new RecordingSettings(
                some.directory(), some.maxSize(), some.maxAge(), 1_000 * some.maxSize(), some.keep(), Set.of());
        try (Recorder recorder = Recorder.open(all, Clock.system(), 1 << 20)) {
            recorder.begin(keys);
            LocalEngine engine =
                    LocalEngine.builder().returnListener(recorder.returns()).build();
            Limiter limiter = new Limiter(engine, Clock.system(), List.of(recorder.decisions()));
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                String name = "t" + t;
                threads.add(new Thread(() -> settleSome(limiter, engine, limits, name)));
            }
            threads.forEach(thread -> thread.setUncaughtExceptionHandler((unused, e) -> failures.add(e)));
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(recorder.dropped()).isZero();
        }
        RecordingReport report = report();
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.verdict()).isEqualTo(Verdict.CLEAN);
        assertThat(report.remarks()).isEmpty();
        assertThat(report.settlements()).isPositive();
    }

    private static void settleSome(Limiter limiter, LocalEngine engine, List<Limit> limits, String name) {
        Random random = new Random(name.hashCode());
        for (int i = 0; i < 1_000; i++) {
            Limit limit = limits.get(random.nextInt(limits.size()));
            Demand demand = Demand.of(limit, "user=x", 1 + random.nextInt(3));
            demand = random.nextInt(3) == 0 ? demand.keeping(1 + random.nextInt(15)) : demand;
            Decision reserved = limiter.decide(List.of(demand.keep() > 0 && i % 4 == 0 ? demand.permits(0) : demand));
            if (reserved.allowed() && random.nextBoolean()) {
                String id = name + i;
                var unused = engine.settleNow(reserved.outcome().charges(reserved.ask()).stream()
                        .map(charge -> Settlement.of(charge, random.nextInt(6), id, 60_000_000))
                        .toList());
            }
        }
    }

    @Test
    void keepsTheValuesOfPlainAttributes() throws IOException {
        RecordingSettings some = settings();
        RecordingSettings plain = new RecordingSettings(
                some.directory(), some.maxSize(), some.maxAge(), some.maxTotal(), some.keep(), Set.of("tenant"));
        try (Recorder recorder = Recorder.open(plain, clock)) {
            recorder.begin(keys);
            limiter(recorder).decide(DAILY, "tenant=acme&user=bob-0815");
        }
        assertThat(content()).contains("tenant=acme&user=#").doesNotContain("bob");
    }

    @Test
    void saysWhereDecisionsAreMissingBecauseThereWasNoRoom() throws IOException {
        try (Recorder recorder = Recorder.open(settings(), clock, 4)) {
            Limiter limiter = limiter(recorder);
            for (int i = 0; i < 10; i++) {
                limiter.decide(DAILY, "user=u" + i);
            }
            assertThat(recorder.dropped()).isEqualTo(6);
            recorder.begin(keys);
            Await.until("the gap is noted", PATIENCE, () -> count("[\"gap\",6,") == 1);
            limiter.decide(DAILY, "user=late");
        }
        RecordingReport report = report();
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.verdict()).isEqualTo(Verdict.INCOMPLETE);
        assertThat(report.gaps()).isEqualTo(1);
        assertThat(report.lost()).isEqualTo(6);
        assertThat(report.decisions()).isEqualTo(5);
    }

    @Test
    void keepsToItsBoundAndDeletesTheOldestFiles() throws IOException {
        Path first;
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            Limiter limiter = limiter(recorder);
            limiter.decide(DAILY, "user=first");
            written(recorder, 1);
            first = files().get(0);
            for (int i = 0; i < 20_000; i++) {
                limiter.decide(DAILY, "user=u" + i % 2_000);
                if (i % 2_000 == 0) {
                    clock.advance(Duration.ofSeconds(1));
                    int soFar = i + 2;
                    written(recorder, soFar);
                }
            }
        }
        assertThat(files()).doesNotContain(first).hasSizeGreaterThan(2);
        long total = 0;
        for (Path file : files()) {
            total += Files.size(file);
        }
        assertThat(total).isLessThanOrEqualTo(4 * RecordingSettings.LEAST_SIZE);
        RecordingReport report = report();
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.remarks()).anyMatch(remark -> remark.contains("its first files are gone"));
    }

    @Test
    void beginsNewFilesWithTheTimeAndForgetsOldOnes() throws IOException {
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            Limiter limiter = limiter(recorder);
            limiter.decide(DAILY, "user=a");
            written(recorder, 1);
            Path first = files().get(0);
            clock.advance(Duration.ofHours(2));
            Await.until("the next files", PATIENCE, () -> count() == 4);
            limiter.decide(DAILY, "user=a");
            written(recorder, 2);
            clock.advance(Duration.ofDays(8));
            Await.until("the first files are gone", PATIENCE, () -> !Files.exists(first));
        }
        assertThat(report().check().violations()).isEmpty();
    }

    private int count() {
        try {
            return files().size();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void goesOnAfterADiskThatTookNothing() throws IOException {
        Path away = dir.resolve("away");
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            Limiter limiter = limiter(recorder);
            limiter.decide(DAILY, "user=a");
            written(recorder, 1);
            Await.until("a file", PATIENCE, () -> count() == 2);
            // Nothing can be created where a file is in the way.
            Files.move(folder(), away);
            Files.writeString(folder(), "in the way");
            clock.advance(Duration.ofHours(2));
            // Time stands still, so that it does not try again while the directory is put back.
            Await.until("it is noticed", PATIENCE, () -> {
                limiter.decide(DAILY, "user=b");
                return recorder.dropped() > 0;
            });
            Files.delete(folder());
            Files.move(away, folder());
            Await.until("it goes on", PATIENCE, () -> {
                clock.advance(Duration.ofSeconds(2));
                return count() == 4;
            });
            limiter.decide(DAILY, "user=c");
        }
        RecordingReport report = report();
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.verdict()).isEqualTo(Verdict.INCOMPLETE);
        assertThat(report.gaps()).isEqualTo(1);
        assertThat(report.lost()).isPositive();
    }

    @Test
    void leavesTheDirectoryToOneProcess() {
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            assertThatThrownBy(() -> Recorder.open(settings(), clock))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is in use by another process");
            assertThat(recorder.recorded()).isZero();
        }
    }

    @Test
    void erasesASubjectFromFinishedAndCurrentFiles() throws IOException {
        SubjectKeys alice = SubjectKeys.of("user", "alice-4711", Map.of(), RuleSet.none(), keys);
        String hash = alice.hashes().get(0);
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            Limiter limiter = limiter(recorder);
            limiter.decide(DAILY, "tenant=acme&user=alice-4711");
            limiter.decide(DAILY, "user=alice-4711");
            limiter.decide(DAILY, "user=bob-0815");
            written(recorder, 3);
            Await.until("all is in the file", PATIENCE, () -> count(hash) == 2);
            assertThat(recorder.erase("1", alice).unfinished()).isEmpty();
            assertThat(count(hash)).isZero();
            assertThat(content()).contains("erased-", "user=#");
            assertThat(recorder.unsearchable()).isEmpty();
            limiter.decide(DAILY, "user=bob-0815");
        }
        RecordingReport report = report();
        assertThat(report.verdict()).isEqualTo(Verdict.CLEAN);
        assertThat(report.decisions()).isEqualTo(4);
    }

    private int count(String text) {
        try {
            return content().split(Pattern.quote(text), -1).length - 1;
        } catch (IOException e) {
            return -1;
        }
    }

    @Test
    void saysWhatItCannotSearchBecauseTheKeyHasChanged() throws IOException {
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(keys);
            limiter(recorder).decide(DAILY, "user=a");
        }
        clock.advance(Duration.ofMinutes(1));
        try (Recorder recorder = Recorder.open(settings(), clock)) {
            recorder.begin(new KeySettings(KeySecret.random(), 64));
            assertThat(recorder.unsearchable()).singleElement().asString().contains("hashes of another key");
        }
    }
}
