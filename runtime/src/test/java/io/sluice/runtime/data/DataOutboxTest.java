package io.sluice.runtime.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.data.DataBatch.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DataOutboxTest {

    @Test
    void keepsBatchesUntilTheCenterHasStoredThem() {
        DataOutbox outbox = DataOutbox.acknowledged();
        outbox.add(Kind.COUNTS, new byte[] {1});
        outbox.add(Kind.DECISIONS, new byte[] {2});
        assertThat(numbers(outbox)).containsExactly(1, 2);
        assertThat(numbers(outbox)).containsExactly(1, 2);
        outbox.stored(1);
        outbox.add(Kind.CALLERS, new byte[] {3});
        assertThat(numbers(outbox)).containsExactly(2, 3);
        assertThat(outbox.hasMore()).isTrue();
        outbox.stored(3);
        assertThat(outbox.hasMore()).isFalse();
        assertThat(outbox.report(1).dropped()).isEmpty();
    }

    @Test
    void dropsTheOldestBatchesAndCountsThem() {
        DataOutbox outbox = DataOutbox.acknowledged();
        for (int i = 0; i < 2_500; i++) {
            outbox.add(Kind.COUNTS, new byte[] {1});
        }
        assertThat(outbox.dropped(Kind.COUNTS)).isEqualTo(500);
        assertThat(numbers(outbox)[0]).isEqualTo(501);
    }

    @Test
    void aReportIsNeverTooLongForTheCenter() {
        DataOutbox outbox = DataOutbox.acknowledged();
        Random random = new Random(1);
        for (int i = 0; i < 20; i++) {
            byte[] content = new byte[100_000];
            random.nextBytes(content);
            outbox.add(Kind.CALLERS, content);
        }
        DataReport report = outbox.report(1);
        assertThat(report.batches()).hasSizeBetween(3, 5);
        assertThat(json(report).length()).isLessThan(DataOutbox.MOST_CHARACTERS);
        byte[] huge = new byte[1_000_000];
        random.nextBytes(huge);
        outbox.add(Kind.CALLERS, huge);
        assertThat(outbox.dropped(Kind.CALLERS)).isEqualTo(1);
    }

    @Test
    void repeatsTheNewestCountsForACenterThatOnlyReads() {
        DataOutbox outbox = DataOutbox.repeating(3);
        for (int i = 0; i < 5; i++) {
            outbox.add(Kind.COUNTS, new byte[] {1});
        }
        outbox.add(Kind.DECISIONS, new byte[] {1});
        outbox.stored(5);
        assertThat(outbox.hasMore()).isTrue();
        assertThat(numbers(outbox)).containsExactly(3, 4, 5);
        assertThat(outbox.hasMore()).isFalse();
        assertThat(outbox.takes(Kind.CALLERS)).isFalse();
    }

    @Test
    void aReportSurvivesItsText() {
        DataOutbox outbox = DataOutbox.acknowledged();
        outbox.add(Kind.COUNTS, new byte[0]);
        outbox.add(Kind.CALLERS, new byte[70_000]);
        outbox.dropped(Kind.DECISIONS, 7);
        DataReport read = DataText.report(JsonObject.parse(json(outbox.report(5)), 1_000_000));
        assertThat(read.sentMillis()).isEqualTo(5);
        assertThat(read.dropped()).isEqualTo(Map.of(Kind.DECISIONS, 7L));
        assertThat(read.batches()).hasSize(2);
        assertThat(read.batches().get(1).content()).hasSize(70_000);
    }

    @Test
    void refusesABatchThatWouldUnpackWithoutEnd() {
        String bomb = json(new DataReport(
                1, Arrays.asList(new DataBatch(1, Kind.COUNTS, new byte[DataBatch.MOST_BYTES])), Map.of()));
        assertThat(bomb.length()).isLessThan(100_000);
        assertThat(DataText.report(JsonObject.parse(bomb, 1_000_000)).batches()).hasSize(1);
        DataBatch zeros = new DataBatch(1, Kind.COUNTS, new byte[DataBatch.MOST_BYTES]);
        String bombs = json(new DataReport(1, List.of(zeros, zeros, zeros, zeros, zeros), Map.of()));
        assertThat(bombs.length()).isLessThan(200_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataText.report(JsonObject.parse(bombs, 1_000_000)))
                .withMessageContaining("16000000 in all batches");
        for (String wrong : new String[] {
            "{\"sent\":1,\"batches\":[{\"number\":1,\"kind\":\"counts\",\"content\":\"!\"}]}",
            "{\"sent\":1,\"batches\":[{\"number\":1,\"kind\":\"counts\",\"content\":\"AAAA\"}]}",
            "{\"sent\":1,\"batches\":[{\"number\":0,\"kind\":\"counts\",\"content\":\"\"}]}",
            "{\"sent\":1,\"batches\":[{\"number\":1,\"kind\":\"other\",\"content\":\"\"}]}"
        }) {
            assertThatIllegalArgumentException()
                    .as(wrong)
                    .isThrownBy(() -> DataText.report(JsonObject.parse(wrong, 1_000)));
        }
    }

    private static long[] numbers(DataOutbox outbox) {
        return outbox.report(1).batches().stream().mapToLong(DataBatch::number).toArray();
    }

    private static String json(DataReport report) {
        JsonLine line = new JsonLine().begin();
        DataText.write(line, report);
        return line.end().toString();
    }
}
