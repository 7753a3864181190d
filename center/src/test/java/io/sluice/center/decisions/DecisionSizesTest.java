package io.sluice.center.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.data.StoredBatch;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sizes in the documentation are those of generated data: 500 rules, random ids, callers of whom some come often. */
class DecisionSizesTest {

    private static final Path DOCS = Path.of("../docs/reference/decisions.md");
    private static final long START = 29_000_000L * 60_000;
    private static final int NODES = 3;
    private static final int SECONDS = 60;
    private static final double MEGABYTE = 1_000_000;

    @TempDir
    Path folder;

    @Test
    void theDocumentationHasTheSizesOfGeneratedData() throws IOException {
        for (int perNode : new int[] {20, 100}) {
            double minute = bytesOfAMinute(folder.resolve("at-" + perNode), perNode);
            String row = Files.readAllLines(DOCS).stream()
                    .filter(line -> line.startsWith("| " + perNode * NODES + " |"))
                    .findFirst()
                    .orElseThrow();
            String[] cells = row.split("\\|", -1);
            assertThat(number(cells[3])).isCloseTo(minute / MEGABYTE, Percentage.withPercentage(10));
            assertThat(number(cells[4])).isCloseTo(minute * 1_440 / MEGABYTE, Percentage.withPercentage(10));
            double reach = Math.min(24, RingBounds.USUAL.mostBytes() / minute / 60);
            assertThat(number(cells[5])).isCloseTo(reach, Percentage.withPercentage(10));
        }
    }

    private static double number(String cell) {
        return Double.parseDouble(cell.replaceAll("[^0-9.]", ""));
    }

    private static double bytesOfAMinute(Path folder, int perNode) throws IOException {
        ManualClock clock = QuietClock.at(START * 1_000);
        DecisionRing ring = DecisionRing.open(clock, folder);
        SampleDecisions sample = new SampleDecisions(500);
        String wanted = "";
        long position = 0;
        for (int second = 0; second < SECONDS; second++) {
            for (int node = 0; node < NODES; node++) {
                List<DecisionEntry> entries = new ArrayList<>();
                for (int i = 0; i < perNode; i++) {
                    entries.add(sample.next(START + second * 1_000L + i));
                }
                wanted = entries.get(0).requestId();
                ring.take(new StoredBatch(
                        ++position, "node-" + node, 1, position, Kind.DECISIONS, 0, DecisionEntry.toBytes(entries)));
            }
            clock.advance(Duration.ofSeconds(1));
        }
        clock.advance(Duration.ofMinutes(1));
        ring.turn(clock.epochMicros() / 1_000);
        // Nothing of a fleet of this size is dropped.
        DecisionPage page = ring.search(new DecisionQuery(
                Map.of(Term.REQUEST, wanted), 0, Long.MAX_VALUE, Optional.empty(), 50, Optional.empty(), true));
        assertThat(page.entries()).hasSize(1);
        assertThat(page.dropped()).isZero();
        return ring.fileBytes();
    }
}
