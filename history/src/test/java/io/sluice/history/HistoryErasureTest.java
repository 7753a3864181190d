package io.sluice.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HistoryErasureTest {

    private static final Limit LIMIT = Limit.named("l").fixedWindow(3, Duration.ofDays(1));

    @TempDir
    private Path dir;

    private static KeyMatch of(String key) {
        return new KeyMatch(key::equals, List.of(key));
    }

    private static StepEvent step(String count, String key, int number) {
        return new StepEvent(
                count,
                1,
                number,
                true,
                7,
                new StepEvent.Asked(
                        "ask" + number, Demand.of(LIMIT, key, 1), true, 9, new Verdict(true, 1, 2, 0, 5, 0, 7)));
    }

    private Path record(String name, StepEvent... events) throws IOException {
        Path file = dir.resolve(name);
        try (HistoryWriter writer = HistoryWriter.open(file, name)) {
            List.of(events).forEach(writer::happened);
        }
        return file;
    }

    private List<Path> write(History history) throws IOException {
        List<Path> files = new ArrayList<>();
        for (History.Node node : history.nodes()) {
            Path file = dir.resolve(node.name());
            try (HistoryWriter writer = HistoryWriter.open(file, node.name())) {
                node.events().forEach(writer::happened);
            }
            files.add(file);
        }
        return files;
    }

    /** Everything that every key did is judged as before, with and without violations. */
    @ParameterizedTest
    @EnumSource(
            value = Bug.class,
            names = {"NONE", "ONE_TOO_MANY"})
    void theCheckerJudgesAnErasedRecordingAsBefore(Bug bug) throws IOException {
        List<Path> files = write(Simulation.run(3, bug, 2_000));
        CheckReport before = HistoryChecker.check(files);
        TreeSet<String> keys = new TreeSet<>();
        History.read(files).nodes().forEach(node -> node.events().forEach(event -> {
            if (event instanceof StepEvent step && step.step() instanceof StepEvent.Asked asked) {
                keys.add(asked.demand().key());
            }
        }));
        assertThat(keys).isNotEmpty();
        HistoryErasure erasure = new HistoryErasure(new KeyMatch(keys::contains, List.of()));
        HistoryErasure.Result result = erasure.eraseIn(dir);
        assertThat(result.changed()).isBetween(1L, (long) files.size());
        assertThat(result.busy()).isEmpty();
        assertThat(result.unreadable()).isEmpty();
        for (Path file : files) {
            String text = Files.readString(file);
            assertThat(keys).noneMatch(key -> text.contains("\"" + key + "\""));
        }
        CheckReport after = HistoryChecker.check(files);
        assertThat(after.isClean()).isEqualTo(before.isClean());
        assertThat(after.violations())
                .extracting(Violation::kind)
                .containsExactlyInAnyOrderElementsOf(
                        before.violations().stream().map(Violation::kind).toList());
    }

    @Test
    void replacesTheSubjectEverywhereAndNobodyElse() throws IOException {
        Path one = record(
                "one",
                step("rate_limit:l:fw1d:user=u-17", "user=u-17", 1),
                step("rate_limit:l:fw1d:user=u-18", "user=u-18", 2),
                step("rate_limit:{acme}:l:fw1d:user=u-17", "{acme}user=u-17", 3));
        Path two = record("two", step("rate_limit:l:fw1d:user=u-17", "user=u-17", 1));
        Path three = record("three", step("rate_limit:l:fw1d:user=u-18", "user=u-18", 1));
        byte[] untouched = Files.readAllBytes(three);
        KeyMatch match = new KeyMatch(key -> key.endsWith("user=u-17"), List.of());
        assertThat(new HistoryErasure(match).eraseIn(dir))
                .isEqualTo(new HistoryErasure.Result(2, List.of(), List.of()));
        assertThat(Files.readString(one)).doesNotContain("u-17").contains("user=u-18", "\"end\",0");
        assertThat(Files.readString(two)).doesNotContain("u-17");
        assertThat(Files.readAllBytes(three)).isEqualTo(untouched);
        List<String> counts = new ArrayList<>();
        for (History.Node node : History.read(List.of(one, two)).nodes()) {
            assertThat(node.whole()).isTrue();
            node.events().forEach(event -> counts.add(((StepEvent) event).count()));
        }
        assertThat(counts.get(0)).startsWith("erased:").isEqualTo(counts.get(3)).isNotEqualTo(counts.get(2));
        assertThat(counts.get(1)).isEqualTo("rate_limit:l:fw1d:user=u-18");
        assertThat(new HistoryErasure(match).eraseIn(dir).changed()).isZero();
        try (var left = Files.list(dir)) {
            assertThat(left).hasSize(3);
        }
    }

    @Test
    void findsACountThatHasNoStepWithItsKey() throws IOException {
        Path file = Files.writeString(dir.resolve("spends"), """
                ["sluice-history",3,"n"]
                ["count",0,"rate_limit:l:fw1d:ip=2001:db8::/64"]
                ["count",1,"rate_limit:l:fw1d:a%20b"]
                ["count",2,"rate_limit:{acme}:l:fw1d:"]
                ["count",3,"rate_limit:l:fw1d:other"]
                ["end",0]""");
        KeyMatch match = new KeyMatch(
                key -> key.equals("ip=2001:db8::/64") || key.equals("a b") || key.equals("{acme}"), List.of());
        assertThat(new HistoryErasure(match).eraseIn(dir).changed()).isEqualTo(1);
        assertThat(Files.readString(file))
                .doesNotContain("2001")
                .doesNotContain("a%20b")
                .doesNotContain("acme")
                .contains("rate_limit:l:fw1d:other");
    }

    @Test
    void aRecordingThatIsBeingWrittenIsLeftUntilItIsClosed() throws IOException {
        Path file = dir.resolve("open");
        try (HistoryWriter writer = HistoryWriter.open(file, "n")) {
            writer.happened(step("c:user=u-17", "user=u-17", 1));
            assertThat(new HistoryErasure(of("user=u-17")).eraseIn(dir))
                    .isEqualTo(new HistoryErasure.Result(0, List.of(file), List.of()));
        }
        assertThat(new HistoryErasure(of("user=u-17")).eraseIn(dir).changed()).isEqualTo(1);
        assertThat(Files.readString(file)).doesNotContain("u-17");
    }

    @Test
    void aBrokenLastLineIsLeftOutAndABrokenFileIsReported() throws IOException {
        Path killed = record("killed", step("c:user=u-18", "user=u-18", 1));
        String text = Files.readString(killed);
        String cut = text.substring(0, text.lastIndexOf('\n')) + "\n[\"count\",1,\"c:user=u-1";
        Files.writeString(killed, cut);
        Path broken =
                Files.writeString(dir.resolve("broken"), "[\"sluice-history\",3,\"n\"]\n[\"count\",x]\n[\"end\",0]");
        Path older = Files.writeString(dir.resolve("older"), "[\"sluice-history\",2,\"n\"]\n[\"end\",0]");
        Path other = Files.writeString(dir.resolve("notes.txt"), "user=u-17");
        Files.writeString(dir.resolve("killed.erasing"), "user=u-17");
        assertThat(new HistoryErasure(of("user=u-17")).eraseIn(dir))
                .isEqualTo(new HistoryErasure.Result(0, List.of(), List.of(broken, older)));
        assertThat(Files.readString(killed))
                .doesNotContain("u-1\"")
                .doesNotContain("u-1\n")
                .contains("user=u-18");
        assertThat(Files.readString(killed)).doesNotContain("[\"count\",1");
        assertThat(History.read(List.of(killed)).nodes().get(0).whole()).isFalse();
        assertThat(Files.readString(other)).isEqualTo("user=u-17");
        assertThat(dir.resolve("killed.erasing")).doesNotExist();
    }

    @Test
    void keepsThePermissionsOfTheFile() throws IOException {
        Path file = record("one", step("c:user=u-17", "user=u-17", 1));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(new HistoryErasure(of("user=u-17")).eraseIn(dir).changed()).isEqualTo(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }
}
