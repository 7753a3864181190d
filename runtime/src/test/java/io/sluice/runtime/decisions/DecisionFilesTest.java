package io.sluice.runtime.decisions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionFilesTest {

    private static final long SIZE = 64 << 10;

    @TempDir
    Path temp;

    private final ManualClock clock = QuietClock.at(LoggedTraffic.START_MICROS);
    private final PlaceCounts counts = new PlaceCounts("file");

    private String keyMark = KeyNotes.mark(LoggedTraffic.KEYS);

    private DecisionFiles open(long total, Duration keep, LogFile.Opener opener) {
        return new DecisionFiles(
                new DecisionSettings.Files(folder(), SIZE, total, keep),
                clock,
                counts,
                () -> keyMark,
                opener,
                Runnable::run);
    }

    private DecisionFiles open() {
        return open(1 << 30, Duration.ofDays(180), LogFile::create);
    }

    private Path folder() {
        return temp.resolve("log");
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("decisions.lock"))
                    .sorted()
                    .toList();
        }
    }

    private List<String> lines() throws IOException {
        List<String> all = new ArrayList<>();
        for (String name : names()) {
            try (InputStream file = Files.newInputStream(folder().resolve(name));
                    InputStream in = name.endsWith(".gz") ? new GZIPInputStream(file) : file) {
                all.addAll(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList());
            }
        }
        return all;
    }

    @Test
    void aFullFileIsCompressedAndAnotherBegins() throws IOException {
        DecisionFiles files = open();
        String filling = "x".repeat(30_000);
        for (int i = 0; i < 5; i++) {
            files.write(List.of(line(i + filling)));
        }
        assertThat(names())
                .containsExactly(
                        "decisions-20270102T030405Z-1.jsonl.gz",
                        "decisions-20270102T030405Z-2.jsonl.gz",
                        "decisions-20270102T030405Z-3.jsonl");
        assertThat(lines()).hasSize(5).allMatch(text -> text.endsWith("x"));
        assertThat(counts.logged()).isEqualTo(5);
        for (String name : names()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder().resolve(name))))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())))
                .isEqualTo("rwx------");
        files.close();
    }

    @Test
    void manyLinesAtOnceNeverMakeAFileLargerThanItMayBe() throws IOException {
        DecisionFiles files = open();
        List<byte[]> many = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            many.add(line(i + "y".repeat(100)));
        }
        files.write(many);
        assertThat(Files.size(folder().resolve(names().get(names().size() - 1))))
                .isLessThanOrEqualTo(SIZE);
        assertThat(names()).hasSize(4);
        assertThat(lines()).hasSize(2_000);
        files.close();
    }

    @Test
    void eachDayHasItsOwnFileAndOldDaysAreDeleted() throws IOException {
        DecisionFiles files = open(1 << 30, Duration.ofDays(3), LogFile::create);
        for (int day = 0; day < 6; day++) {
            files.write(List.of(line("day " + day)));
            clock.advance(Duration.ofDays(1));
            files.tick();
        }
        // Now is day 6. A line stays for three whole days.
        assertThat(lines()).containsExactly("day 3", "day 4", "day 5");
        clock.advance(Duration.ofDays(10));
        files.tick();
        assertThat(lines()).isEmpty();
        files.close();
    }

    @Test
    void theOldestFilesGoIfAllTogetherAreTooLarge() throws IOException {
        DecisionFiles files = open(2 * SIZE, Duration.ofDays(180), LogFile::create);
        Random random = new Random(7);
        for (int i = 0; i < 12; i++) {
            StringBuilder noise = new StringBuilder(i + " ");
            random.ints(30_000, 'a', 'z' + 1).forEach(c -> noise.append((char) c));
            files.write(List.of(line(noise.toString())));
            clock.advance(Duration.ofSeconds(1));
        }
        clock.advance(Duration.ofMinutes(2));
        files.tick();
        long total = 0;
        for (String name : names()) {
            total += Files.size(folder().resolve(name));
        }
        assertThat(total).isLessThanOrEqualTo(2 * SIZE);
        assertThat(lines()).isNotEmpty().last().asString().startsWith("11 ");
        assertThat(lines()).noneMatch(text -> text.startsWith("0 "));
        files.close();
    }

    @Test
    void aStartAfterACrashCutsOffHalfALine() throws IOException {
        DecisionFiles before = open();
        before.write(List.of(line("one"), line("two")));
        before.close();
        Path file = folder().resolve(names().get(0));
        Files.writeString(file, "{\"half", StandardOpenOption.APPEND);
        Files.writeString(folder().resolve("decisions-20270101T000000Z-1.jsonl"), "only half a line");
        Files.writeString(folder().resolve("decisions.tmp"), "left");

        DecisionFiles after = open();
        after.write(List.of(line("three")));

        assertThat(lines()).containsExactlyInAnyOrder("one", "two", "three");
        assertThat(names())
                .containsExactly("decisions-20270102T030405Z-1.jsonl.gz", "decisions-20270102T030405Z-2.jsonl");
        after.close();
    }

    @Test
    void aSecondProcessIsRefused() {
        DecisionFiles files = open();
        assertThatThrownBy(this::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is in use by another process (expected: a directory of this process alone)");
        files.close();
        open().close();
    }

    @Test
    void aFullDiskDropsLinesAndSaysSoOnceUntilItHasRoomAgain() throws IOException {
        AtomicBoolean full = new AtomicBoolean();
        LogFile.Opener opener = file -> {
            LogFile real = LogFile.create(file);
            return new LogFile() {
                @Override
                public void append(byte[] bytes) throws IOException {
                    if (full.get()) {
                        real.append(new byte[] {'{'});
                        throw new IOException("No space left on device");
                    }
                    real.append(bytes);
                }

                @Override
                public void close() throws IOException {
                    real.close();
                }
            };
        };
        try (CapturedLog log = new CapturedLog(DecisionFiles.class)) {
            DecisionFiles files = open(1 << 30, Duration.ofDays(180), opener);
            files.write(List.of(line("one")));
            full.set(true);
            for (int i = 0; i < 5; i++) {
                files.write(List.of(line("lost"), line("lost")));
                clock.advance(Duration.ofMinutes(1));
                files.tick();
            }
            assertThat(counts.dropped()).isEqualTo(10);
            assertThat(log.lines()).hasSize(1);
            assertThat(log.lines().get(0)).contains("No space left on device", "dropped and counted");
            full.set(false);
            files.write(List.of(line("two")));
            clock.advance(Duration.ofMinutes(2));
            files.tick();
            assertThat(log.lines()).hasSize(2).last().asString().endsWith("again");
            assertThat(lines()).containsExactly("one", "two");
            assertThat(names()).hasSize(2);
            assertThat(counts.logged()).isEqualTo(2);
            files.close();
        }
    }

    @Test
    void aDirectoryThatDisappearsComesBack() throws IOException {
        DecisionFiles files = open();
        files.write(List.of(line("one")));
        try (Stream<Path> all = Files.list(folder())) {
            for (Path file : all.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder());
        files.write(List.of(line("two")));
        assertThat(lines()).containsExactly("two");
        files.close();
    }

    private static String entry(String user, int number) {
        return new DecisionEntry(
                        number,
                        "r" + number,
                        "",
                        "",
                        "/",
                        "GET",
                        Map.of("user", new CallerMark("u****", hash("user", user))),
                        "a",
                        "a.0",
                        Outcome.REJECTED,
                        "exceeds 1 per 1s",
                        1,
                        1,
                        1,
                        "local",
                        "",
                        1,
                        Optional.of(new CallerMark("u****", hash("user", user))))
                .toJson();
    }

    private static String hash(String attribute, String value) {
        return subject(attribute, value).hashes().get(0);
    }

    private static SubjectKeys subject(String attribute, String value) {
        return SubjectKeys.of(attribute, value, Map.of(), RuleSet.none(), LoggedTraffic.KEYS);
    }

    @Test
    void anErasureRemovesLinesFromTheCurrentFileAndFromCompressedOnes() throws IOException {
        DecisionFiles files = open();
        for (int i = 0; i < 400; i++) {
            files.write(List.of(line(entry(i % 4 == 0 ? "u-17" : "u-" + (100 + i), i))));
        }
        assertThat(names()).anyMatch(name -> name.endsWith(".gz")).anyMatch(name -> name.endsWith(".jsonl"));
        // A hash in another field does not make a line the subject's.
        String quoting = entry("u-1", 1).replace("\"r1\"", '"' + hash("user", "u-17") + '"');
        files.write(List.of(line(quoting)));

        assertThat(files.kind()).isEqualTo("decisions");
        assertThat(files.erase("1-ab", subject("user", "u-17")).removed()).isEqualTo(100);
        assertThat(files.erase("1-ab", subject("user", "u-17")).removed()).isZero();
        assertThat(lines()).hasSize(301).contains(quoting);
        assertThat(lines().stream().map(DecisionEntry::parse).flatMap(each -> each.caller().stream()))
                .noneMatch(caller -> caller.hash().equals(hash("user", "u-17")));
        for (String name : names()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder().resolve(name))))
                    .isEqualTo("rw-------");
        }
        files.write(List.of(line(entry("u-2", 2))));
        assertThat(lines()).hasSize(302);
        files.close();
    }

    @Test
    void aFileThatCannotBeReadLeavesAnErasureUnfinished() throws IOException {
        DecisionFiles files = open();
        Files.writeString(folder().resolve("decisions-20270101T000000Z-1.jsonl.gz"), "not compressed");
        files.write(List.of(line(entry("u-17", 1))));

        var attempt = files.erase("1-ab", subject("user", "u-17"));

        assertThat(attempt.removed()).isEqualTo(1);
        assertThat(attempt.unfinished()).contains("files of the decision log cannot be read or replaced: 1");
        files.close();
    }

    @Test
    void anErasureTellsWhichFilesHaveHashesOfAnotherKey() {
        DecisionFiles first = open();
        first.write(List.of(line(entry("u-17", 1))));
        first.close();
        clock.advance(Duration.ofMinutes(10));
        DecisionFiles again = open();
        assertThat(again.unsearchable()).isEmpty();
        again.close();

        keyMark = KeyNotes.mark(KeySettings.ofThisProcess());
        DecisionFiles other = open();
        other.write(List.of(line(entry("u-18", 2))));
        assertThat(other.unsearchable())
                .containsExactly("lines of the decision log from before 2027-01-02T03:14:05Z have hashes of another key"
                        + " and cannot be found; they go with the retention of the log (files: 1)");
        other.close();
        clock.advance(Duration.ofDays(200));
        DecisionFiles later = open();
        assertThat(later.unsearchable()).isEmpty();
        later.close();
    }
}
