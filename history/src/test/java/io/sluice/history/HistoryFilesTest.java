package io.sluice.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFilesTest {

    @TempDir
    Path dir;

    @Test
    void readsWhatWasWritten() throws IOException {
        History history = Simulation.run(3, Bug.NONE, 2_000);
        List<Path> files = write(history);
        History read = History.read(files);
        for (int i = 0; i < files.size(); i++) {
            assertThat(read.nodes().get(i).name())
                    .isEqualTo(history.nodes().get(i).name());
            assertThat(text(read.nodes().get(i).events()))
                    .isEqualTo(text(history.nodes().get(i).events()));
        }
        assertThat(read.nodes()).allMatch(History.Node::whole);
    }

    @Test
    void readsFilesOfEarlierVersions() throws IOException {
        String limit = "[\"limit\",0,{\"name\":\"w\",\"algorithm\":\"fixed_window\",\"limit\":3,\"window\":1000}]";
        String asked = "[\"a\",0,1,1,1,7,\"1\",1,9,0,\"k\",1,1,0,\"\",1,1,2,0,993,0,7]";
        for (int version = 3; version <= 5; version++) {
            Path file = Files.writeString(
                    dir.resolve("v" + version),
                    "[\"sluice-history\"," + version + ",\"n\"]\n" + limit + "\n[\"count\",0,\"c\"]\n" + asked
                            + "\n[\"end\",0]\n");
            assertThat(HistoryChecker.check(List.of(file)).steps())
                    .as("version %d", version)
                    .isEqualTo(1);
            assertThat(HistoryChecker.check(List.of(file)).isClean())
                    .as("version %d", version)
                    .isTrue();
        }
        Path later = Files.writeString(dir.resolve("later"), "[\"sluice-history\",6,\"n\"]\n[\"end\",0]\n");
        assertThatThrownBy(() -> History.read(List.of(later))).hasRootCauseMessage("version: 6 (expected: 3..5)");
    }

    @Test
    void findsViolationsInFiles() throws IOException {
        CheckReport report = HistoryChecker.check(write(Simulation.run(1, Bug.ONE_TOO_MANY, 3_000)));
        assertThat(report.violations()).extracting(Violation::kind).contains(Violation.Kind.INTERVAL);
        assertThat(report.toString()).contains("expected: at most");
    }

    @Test
    void keepsKeysThatAreNotValidText() throws IOException {
        Limit daily = Limit.named("daily").fixedWindow(3, Calendar.DAY, ZoneId.of("Europe/Berlin"));
        Verdict verdict = new Verdict(true, 1, 2, 0, 5, 0, 7);
        Demand demand = Demand.of(daily, "\uD800 \n\u00e9\u4e2d", 1);
        HistoryEvent event = new StepEvent("c", 1, 1, true, 7, new StepEvent.Asked("1", demand, true, 9, verdict));
        Path file = dir.resolve("odd");
        try (HistoryWriter writer = HistoryWriter.open(file, "n")) {
            writer.happened(event);
        }
        StepEvent read =
                (StepEvent) History.read(List.of(file)).nodes().get(0).events().get(0);
        StepEvent.Asked asked = (StepEvent.Asked) read.step();
        assertThat(asked.demand().key()).isEqualTo(demand.key());
        assertThat(asked.demand().limit()).isEqualTo(daily);
        assertThat(asked.verdict()).isEqualTo(verdict);
    }

    @Test
    void treatsATruncatedFileAsThatOfAKilledProcess() throws IOException {
        Path whole = write(Simulation.run(3, Bug.NONE, 300)).get(0);
        byte[] bytes = Files.readAllBytes(whole);
        for (int length = bytes.length - 1; length > bytes.length - 300; length -= 7) {
            Path cut = Files.write(dir.resolve("cut" + length), Arrays.copyOf(bytes, length));
            assertThat(History.read(List.of(cut)).nodes().get(0).whole())
                    .as("%d of %d bytes", length, bytes.length)
                    .isFalse();
        }
    }

    @Test
    void reportsWhereAFileIsBroken() throws IOException {
        Path file = Files.writeString(dir.resolve("broken"), "[\"sluice-history\",3,\"n\"]\n[\"x\"]\n[\"end\",0]\n");
        assertThatThrownBy(() -> History.read(List.of(file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("broken:2: [\"x\"] (expected: a line of a history)");
    }

    @Test
    void doesNotOverwriteAHistory() throws IOException {
        Path file = Files.writeString(dir.resolve("there"), "");
        assertThatThrownBy(() -> HistoryWriter.open(file, "n")).isInstanceOf(IOException.class);
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

    /** Compares without labels, which are not written. */
    private static List<String> text(List<HistoryEvent> events) {
        return events.stream()
                .map(event -> event.toString().replaceAll("label=.*?guard", "guard"))
                .toList();
    }
}
