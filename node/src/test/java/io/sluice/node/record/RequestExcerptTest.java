package io.sluice.node.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.recording.ExcerptHead;
import io.sluice.runtime.recording.ExcerptQuestion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The newest requests of a recording, as a center gets them. */
class RequestExcerptTest {

    private static final long SECOND = 1_000_000;
    private static final long START = 1_800_000_000 * SECOND;

    @TempDir
    private Path folder;

    private final Random random = new Random(29);
    private int files;

    private static String line(long atMicros, String path, String hash) {
        return "{\"timestamp\":\"" + Instant.EPOCH.plus(atMicros, ChronoUnit.MICROS) + "\",\"resource\":\"" + path
                + "\",\"dimensions\":{\"ip\":\"203.0.113.*\"},\"hashes\":{\"ip\":\"" + hash
                + "\"},\"rule_id\":\"login\",\"limit_id\":\"login.0\",\"decision\":\"allowed\",\"permits\":2,\"mode\":\"local\","
                + "\"degraded\":\"\",\"rule_version\":1}\n";
    }

    private void file(long begunMicros, String content) throws IOException {
        RecordingName name = new RecordingName(begunMicros / SECOND, "0123abcd", ++files);
        Files.writeString(name.requests(folder), content);
        Files.writeString(name.history(folder), "not read");
    }

    private record Excerpt(ExcerptHead head, List<String> lines, int bytes) {}

    private Excerpt excerpt(long sinceMicros, int mostBytes, long keySinceMicros) throws IOException {
        byte[] sent = new RequestExcerpt(new ExcerptQuestion(7, sinceMicros, mostBytes), keySinceMicros)
                .of(folder, START + 9_000 * SECOND, 4, Set.of("tenant"), "mark");
        List<String> lines;
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(sent))) {
            lines = new ArrayList<>(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        }
        return new Excerpt(ExcerptHead.parse(lines.remove(0)), lines, sent.length);
    }

    @Test
    void hasOnlyWhatAReplayNeeds() throws IOException {
        file(START, line(START + 1, "/a", "h"));
        Excerpt excerpt = excerpt(START - SECOND, ExcerptQuestion.MOST_BYTES, 0);
        assertThat(excerpt.lines)
                .containsExactly("{\"timestamp\":\"2027-01-15T08:00:00.000001Z\",\"resource\":\"/a\","
                        + "\"dimensions\":{\"ip\":\"203.0.113.*\"},\"hashes\":{\"ip\":\"h\"},\"permits\":2}");
        assertThat(excerpt.head).isEqualTo(new ExcerptHead(START, false, 4, Set.of("tenant"), "mark"));
    }

    @Test
    void joinsFilesInTheirOrder() throws IOException {
        file(START, line(START, "/gone", "h") + line(START + 20 * SECOND, "/a", "h"));
        file(START + 30 * SECOND, line(START + 30 * SECOND, "/b", "h"));
        file(START + 60 * SECOND, line(START + 60 * SECOND, "/c", "h") + "{\"timestamp\":\"2027-01-15T08:01");
        Excerpt excerpt = excerpt(START + 10 * SECOND, ExcerptQuestion.MOST_BYTES, 0);
        assertThat(excerpt.lines.stream().map(each -> each.replaceAll(".*\"resource\":\"([^\"]*)\".*", "$1")))
                .containsExactly("/a", "/b", "/c");
        assertThat(excerpt.head.sinceMicros()).isEqualTo(START + 10 * SECOND);
        assertThat(excerpt.head.cut()).isFalse();
    }

    @Test
    void filesFromBeforeTheTimeAreNotRead() throws IOException {
        file(START, line(START + 100 * SECOND, "/wrong", "h"));
        file(START + 30 * SECOND, line(START + 90 * SECOND, "/b", "h"));
        assertThat(excerpt(START + 60 * SECOND, ExcerptQuestion.MOST_BYTES, 0).lines)
                .hasSize(1);
    }

    @Test
    void sendsTheNewestPartIfThereIsMore() throws IOException {
        StringBuilder older = new StringBuilder();
        StringBuilder newer = new StringBuilder();
        for (int i = 0; i < 6_000; i++) {
            String hash = Long.toString(random.nextLong(), 36) + Long.toString(random.nextLong(), 36);
            (i < 3_000 ? older : newer).append(line(START + i * SECOND, "/a", hash));
        }
        file(START, older.toString());
        file(START + 3_000 * SECOND, newer.toString());
        Excerpt excerpt = excerpt(START, ExcerptQuestion.LEAST_BYTES, 0);
        assertThat(excerpt.bytes).isLessThanOrEqualTo(ExcerptQuestion.LEAST_BYTES);
        assertThat(excerpt.head.cut()).isTrue();
        int count = excerpt.lines.size();
        assertThat(count).isPositive().isLessThan(6_000);
        // No request is missing from then on.
        assertThat(excerpt.head.sinceMicros()).isEqualTo(START + (6_000L - count) * SECOND);
        assertThat(excerpt.lines.get(count - 1))
                .contains(Instant.ofEpochSecond(1_800_005_999).toString());
        Excerpt whole = excerpt(START, ExcerptQuestion.MOST_BYTES, 0);
        assertThat(whole.lines).hasSize(6_000);
        assertThat(whole.head.cut()).isFalse();
    }

    @Test
    void hashesOfAnotherKeyAreLeftOut() throws IOException {
        file(START, line(START, "/a", "old"));
        file(START + 30 * SECOND, line(START + 40 * SECOND, "/a", "new"));
        Excerpt excerpt = excerpt(START, ExcerptQuestion.MOST_BYTES, START + 30 * SECOND);
        assertThat(excerpt.lines).hasSize(1);
        assertThat(excerpt.lines.get(0)).contains("\"new\"");
        assertThat(excerpt.head.sinceMicros()).isEqualTo(START + 30 * SECOND);
    }

    @Test
    void linesThatAreNoRequestsAreLeftOut() throws IOException {
        file(
                START,
                "\n{}\nnot JSON\n{\"timestamp\":\"yesterday\"}\n" + "x".repeat(100_000) + "\n"
                        + line(START, "/a,\\\"rule_id\\\":\\\"x", "h"));
        Excerpt excerpt = excerpt(START, ExcerptQuestion.MOST_BYTES, 0);
        assertThat(excerpt.lines).hasSize(1);
        assertThat(excerpt.lines.get(0)).contains("/a,\\\"rule_id\\\":\\\"x").endsWith("\"permits\":2}");
        assertThat(excerpt(START, ExcerptQuestion.MOST_BYTES, 0).head.cut()).isFalse();
    }

    @Test
    void aDirectoryWithoutFilesHasNoRequests() throws IOException {
        Excerpt excerpt = excerpt(START, ExcerptQuestion.MOST_BYTES, 0);
        assertThat(excerpt.lines).isEmpty();
        assertThat(excerpt.head.sinceMicros()).isEqualTo(START + 9_000 * SECOND);
    }
}
