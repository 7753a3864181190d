package io.sluice.http.figure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.cost.AnswerAttribute;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that want to cost memory or time. */
final class HostileAnswersTest {

    private static final AnswerAttribute TOTAL = AnswerAttribute.parse("answer.json.usage.total_tokens");
    private static final String FIGURE = "{\"usage\":{\"total_tokens\":7}}";
    private static final long MOST_BYTES = 16 * 1024;

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":", "{\"usage\":", "[{\"usage\":"})
    void nestingBeyondTheBoundIsBroken(String opening) {
        AnswerFigures figures = begun("application/json");
        byte[] piece = opening.repeat(1_000).getBytes(UTF_8);
        for (int i = 0; i < 1_000; i++) {
            figures.piece(piece);
        }
        assertThat(figures.wantsBody()).isFalse();
        figures.end();
        assertThat(figures.figures()).isEmpty();
    }

    @Test
    void nestingUpToTheBoundIsRead() {
        assertThat(readInDepth(JsonFigures.DEEPEST - 1)).containsEntry(TOTAL, 7L);
        assertThat(readInDepth(JsonFigures.DEEPEST)).isEmpty();
    }

    private static Map<AnswerAttribute, Long> readInDepth(int lists) {
        AnswerFigures figures = begun("application/json");
        String deep = "[".repeat(lists) + "]".repeat(lists);
        figures.piece(("{\"a\":" + deep + "," + FIGURE.substring(1)).getBytes(UTF_8));
        figures.end();
        return figures.figures();
    }

    @Test
    void memoryDoesNotDependOnTheAnswer() {
        byte[] name = "x".repeat(100_000).getBytes(UTF_8);
        byte[] digits = "1".repeat(100_000).getBytes(UTF_8);
        byte[] deep = ("[".repeat(500) + "]".repeat(500) + ",").repeat(100).getBytes(UTF_8);
        byte[] begin = "{\"usage\":{\"".getBytes(UTF_8);
        byte[] colon = "\":".getBytes(UTF_8);
        byte[] total = ",\"total_tokens\":".getBytes(UTF_8);
        byte[] list = "},\"list\":[".getBytes(UTF_8);
        byte[] end = "0]}".getBytes(UTF_8);
        AnswerFigures figures = begun("application/json");
        long before = allocated();
        for (byte[] piece :
                new byte[][] {begin, name, name, colon, digits, digits, total, digits, list, deep, deep, deep, end}) {
            figures.piece(piece);
        }
        assertThat(allocated() - before).isLessThan(MOST_BYTES);
        assertThat(figures.wantsBody()).isTrue();
        figures.end();
        assertThat(figures.figures()).isEmpty();
    }

    /** Returns the bytes that this thread has ever allocated. */
    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    void hugeTextsAndLinesPass() {
        byte[] text = "x".repeat(1_000_000).getBytes(UTF_8);
        for (String type : List.of("application/json", "text/event-stream", "application/x-ndjson")) {
            AnswerFigures figures = begun(type);
            boolean events = type.equals("text/event-stream");
            figures.piece((events ? "data: {\"a\":\"" : "{\"a\":\"").getBytes(UTF_8));
            for (int i = 0; i < 10; i++) {
                figures.piece(text);
            }
            figures.piece(("\"," + FIGURE.substring(1)).getBytes(UTF_8));
            figures.end();
            assertThat(figures.figures()).as(type).containsEntry(TOTAL, 7L);
        }
    }

    @Test
    void anAnswerThatIsNoJsonIsNotReadOn() {
        AnswerFigures figures = begun("text/html");
        assertThat(figures.wantsBody()).isTrue();
        figures.piece("<html>".getBytes(UTF_8));
        assertThat(figures.wantsBody()).isFalse();
    }

    @Test
    void aBombIsNotUnpacked() throws IOException {
        byte[] bomb = gzip(" ".repeat(InflatedBody.MOST_PER_PIECE) + FIGURE);
        AnswerFigures atOnce = begun("application/json", "gzip");
        atOnce.piece(bomb);
        assertThat(atOnce.wantsBody()).isFalse();
        atOnce.end();
        assertThat(atOnce.figures()).isEmpty();

        AnswerFigures inPieces = begun("application/json", "gzip");
        for (int from = 0; from < bomb.length; from += 500) {
            inPieces.piece(Arrays.copyOfRange(bomb, from, Math.min(bomb.length, from + 500)));
        }
        inPieces.end();
        assertThat(inPieces.figures()).containsEntry(TOTAL, 7L);
    }

    /** No single piece unpacks to too much, but all of them together do. */
    @Test
    void aBombInManyPiecesIsNotUnpackedForLong() throws IOException {
        String blank = " ".repeat(InflatedBody.MOST_PER_PIECE / 4);
        byte[] bomb = gzip(blank.repeat(20) + FIGURE);
        AnswerFigures figures = begun("application/json", "gzip");
        int from = 0;
        while (from < bomb.length && figures.wantsBody()) {
            figures.piece(Arrays.copyOfRange(bomb, from, Math.min(bomb.length, from + 500)));
            from += 500;
        }
        assertThat(from).as("bytes that were read").isLessThan(bomb.length / 2);
        figures.end();
        assertThat(figures.figures()).isEmpty();
    }

    @Test
    void aLongBodyIsReadIfItUnpacksToAFewTimesItsSize() throws IOException {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder();
        while (text.length() < 2 * InflatedBody.MOST_PER_PIECE) {
            text.append("data: {\"choices\":[{\"delta\":{\"content\":\"")
                    .append((char) ('a' + random.nextInt(26)))
                    .append("\"}}]}\n\n");
        }
        byte[] packed = gzip(text.append("data: ").append(FIGURE).append("\n\n").toString());
        AnswerFigures figures = begun("text/event-stream", "gzip");
        for (int from = 0; from < packed.length; from += 1_000) {
            figures.piece(Arrays.copyOfRange(packed, from, Math.min(packed.length, from + 1_000)));
        }
        figures.end();
        assertThat(figures.figures()).containsEntry(TOTAL, 7L);
    }

    @Test
    void noiseNeverThrows() {
        Random random = new Random(7);
        for (int round = 0; round < 3_000; round++) {
            String type = List.of("application/json", "text/event-stream", "application/x-ndjson")
                    .get(round % 3);
            AnswerFigures figures = begun(type, List.of("", "gzip", "deflate").get(round / 3 % 3));
            for (int i = random.nextInt(5); i >= 0; i--) {
                byte[] noise = new byte[random.nextInt(64)];
                random.nextBytes(noise);
                figures.piece(noise);
            }
            figures.end();
            assertThat(figures.figures()).isEmpty();
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write(text.getBytes(UTF_8));
        }
        return packed.toByteArray();
    }

    private static AnswerFigures begun(String type) {
        return begun(type, "");
    }

    private static AnswerFigures begun(String type, String encoding) {
        AnswerFigures figures = new AnswerFigures(List.of(TOTAL));
        figures.head(200, Map.of("content-type", List.of(type), "content-encoding", List.of(encoding))::get);
        return figures;
    }
}
