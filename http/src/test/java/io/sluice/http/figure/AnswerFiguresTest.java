package io.sluice.http.figure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.cost.AnswerAttribute;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AnswerFiguresTest {

    private static final String TOTAL = "answer.json.usage.total_tokens";
    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream; charset=utf-8";

    @Test
    void readsAPathOfADocument() {
        String body = "{\"id\":\"x\",\"choices\":[{\"text\":\"{\\\"usage\\\":\"}],\"usage\":{\"total_tokens\":120}}";
        assertThat(inEverySplit(JSON, body, TOTAL)).containsEntry(TOTAL, 120L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0",
                "-0 | 0",
                "12 | 12",
                "12.0 | 12",
                "1e3 | 1000",
                "1.5E+1 | 15",
                "1200e-2 | 12",
                "1e9 | 1000000000",
                "1000000001 | 1000000000",
                "9223372036854775808 | 1000000000",
                "1e400 | 1000000000",
                "0e99999999999 |",
                "1e99999999999 |",
                "12.5 |",
                "-1 |",
                "1e-1 |",
                "null |",
                "true |",
                "\"12\" |",
                "{} |",
                "[7] |",
                "01 |",
                "1. |",
                "+1 |",
                ".5 |",
                "1e |",
                "0x10 |",
                "NaN |"
            })
    void aFigureIsAWholeNumber(String number, Long figure) {
        Map<String, Long> read = inEverySplit(JSON, "{\"usage\":{\"total_tokens\":" + number + "}}", TOTAL);
        assertThat(read.get(TOTAL)).isEqualTo(figure);
    }

    @Test
    void aNumberTooLongToKeepIsNoFigure() {
        String ones = "1".repeat(WholeNumber.LONGEST);
        assertThat(inEverySplit(JSON, "{\"usage\":{\"total_tokens\":" + ones + "}}", TOTAL))
                .containsEntry(TOTAL, 1_000_000_000L);
        assertThat(inEverySplit(JSON, "{\"usage\":{\"total_tokens\":" + ones + "1}}", TOTAL))
                .isEmpty();
    }

    @Test
    void theLastFigureCounts() {
        String body =
                "{\"usage\":{\"total_tokens\":1,\"total_tokens\":2},\"usage\":{\"total_tokens\":3},\"usage\":null}";
        assertThat(inEverySplit(JSON, body, TOTAL)).containsEntry(TOTAL, 3L);
    }

    @Test
    void readsSeveralPathsAtOnce() {
        String body =
                "{\"usage\":{\"in\":3,\"out\":{\"n\":4},\"x\":{\"in\":9}},\"in\":5,\"list\":[{\"n\":6},{\"n\":7}]}";
        assertThat(inEverySplit(
                        JSON,
                        body,
                        "answer.json.usage.in",
                        "answer.json.usage.out.n",
                        "answer.json.in",
                        "answer.json.list.1.n",
                        "answer.json.usage.none"))
                .containsOnly(
                        Map.entry("answer.json.usage.in", 3L),
                        Map.entry("answer.json.usage.out.n", 4L),
                        Map.entry("answer.json.in", 5L),
                        Map.entry("answer.json.list.1.n", 7L));
    }

    @Test
    void aPathMayEndOnTheWayOfAnother() {
        String[] paths = {"answer.json.a", "answer.json.a.b"};
        assertThat(inEverySplit(JSON, "{\"a\":1}", paths)).containsOnly(Map.entry(paths[0], 1L));
        assertThat(inEverySplit(JSON, "{\"a\":{\"b\":2}}", paths)).containsOnly(Map.entry(paths[1], 2L));
    }

    @Test
    void namesMayBeEscapedAndBeyondAscii() {
        String path = "answer.json.größe😀.a/b";
        String escaped = "{\"gr\\u00f6\\u00DFe\\ud83d\\ude00\":{\"a\\/b\":7}}";
        assertThat(inEverySplit(JSON, escaped, path)).containsEntry(path, 7L);
        assertThat(inEverySplit(JSON, "{\"größe😀\":{\"a/b\":8}}", path)).containsEntry(path, 8L);
        assertThat(inEverySplit(JSON, "{\"\\ud83d\":1,\"usage\":{\"total_tokens\":9}}", TOTAL))
                .as("half a character in another name")
                .containsEntry(TOTAL, 9L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"usage \":{\"total_tokens\":1}}",
                "{\"Usage\":{\"total_tokens\":1}}",
                "{\"usag\":{\"total_tokens\":1}}",
                "{\"usage\\ud83d\":{\"total_tokens\":1}}",
                "{\"\\ude00usage\":{\"total_tokens\":1}}",
                "{\"a\":{\"usage\":{\"total_tokens\":1}}}",
                "{\"usage\":[{\"total_tokens\":1}]}",
                "{\"total_tokens\":1}",
                "{\"usage.total_tokens\":1}",
                "[[{\"usage\":{\"total_tokens\":1}}]]",
                "7",
                "\"text\"",
                "",
                "[]",
                "{}"
            })
    void otherPlacesHaveNoFigure(String body) {
        assertThat(inEverySplit(JSON, body, TOTAL)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"usage\":{\"total_tokens\":1}",
                "{\"usage\":{\"total_tokens\":1}}}",
                "{\"usage\":{\"total_tokens\":1}} x",
                "{\"usage\":{\"total_tokens\":1},}",
                "{\"usage\":{\"total_tokens\":1]}",
                "{\"usage\":{\"total_tokens\":1},\"a\":[1,]}",
                "{\"usage\":{\"total_tokens\":1},\"a\":tru}",
                "{\"usage\":{\"total_tokens\":1},\"a\":\"\\x\"}",
                "{\"usage\":{\"total_tokens\":1},\"a\":\"\\u12g4\"}",
                "{\"usage\":{\"total_tokens\":1},\"a\":\"\t\"}",
                "{\"usage\":{\"total_tokens\":1}}{}",
                "{'usage':{'total_tokens':1}}",
                "{\"usage\" {\"total_tokens\":1}}",
                "[{\"usage\":{\"total_tokens\":1}}",
                "[{\"usage\":{\"total_tokens\":1}},nope]",
                "<html>",
                "{\"usage\":{\"total_tokens\":1"
            })
    void aBrokenDocumentHasNoFigure(String body) {
        assertThat(inEverySplit(JSON, body, TOTAL)).isEmpty();
    }

    @Test
    void aListIsAListOfDocuments() {
        String path = "answer.json.usageMetadata.totalTokenCount";
        String body =
                "[{\"usageMetadata\":{\"totalTokenCount\":8}}\n,\r\n{\"usageMetadata\":{\"totalTokenCount\":31}}, {\"a\":1}]";
        assertThat(inEverySplit(JSON, body, path)).containsEntry(path, 31L);
        AnswerFigures figures = begun(JSON, path);
        figures.piece(body.substring(0, 45).getBytes(UTF_8));
        assertThat(figures.figures()).containsValue(8L);
    }

    @Test
    void aListThatBreaksHasNoFigureEvenIfItsEndDoesNotCome() {
        AnswerFigures figures = begun(JSON, TOTAL);
        figures.piece("[{\"usage\":{\"total_tokens\":5}}".getBytes(UTF_8));
        assertThat(texts(figures)).containsEntry(TOTAL, 5L);
        figures.piece(", x".getBytes(UTF_8));
        figures.close();
        assertThat(texts(figures)).isEmpty();
    }

    @Test
    void aPartOfAByteOrderMarkIsText() {
        for (int length = 1; length < 3; length++) {
            byte[] mark = Arrays.copyOf("\ufeff".getBytes(UTF_8), length);
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.writeBytes(mark);
            body.writeBytes("{\"usage\":{\"total_tokens\":5}}".getBytes(UTF_8));
            assertThat(inEverySplit(JSON, "", body.toByteArray(), TOTAL)).isEmpty();
        }
    }

    @Test
    void readsTheStatusAndHeaders() {
        AnswerFigures figures = new AnswerFigures(List.of(
                AnswerAttribute.parse("answer.status"),
                AnswerAttribute.parse("answer.header.X-Cost"),
                AnswerAttribute.parse("answer.header.x-bad"),
                AnswerAttribute.parse("answer.header.x-long")));
        Map<String, List<String>> headers = Map.of(
                "x-cost",
                List.of("1", " 42 "),
                "x-bad",
                List.of("4.5"),
                "x-long",
                List.of("1".repeat(WholeNumber.LONGEST + 1)));
        figures.head(201, headers::get);
        assertThat(figures.wantsBody()).isFalse();
        figures.end();
        assertThat(texts(figures))
                .containsOnly(Map.entry("answer.status", 201L), Map.entry("answer.header.x-cost", 42L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void readsTheLastEventThatHasTheFigure(String eol) {
        String body = String.join(
                eol,
                "\ufeff: hello",
                "data: {\"choices\":[{\"delta\":{\"content\":\"data: \"}}],\"usage\":null}",
                "",
                "event: x",
                "id: 1",
                "data:{\"usage\":",
                "data: {\"total_tokens\":50}",
                "data",
                "data: }",
                "",
                "datax: {\"usage\":{\"total_tokens\":1}}",
                "dat: {\"usage\":{\"total_tokens\":2}}",
                "",
                "data: {\"usage\":{\"total_tokens\":3}",
                "",
                "data: [DONE]",
                "",
                "");
        assertThat(inEverySplit(EVENTS, body, TOTAL)).containsEntry(TOTAL, 50L);
    }

    @Test
    void linesOfOneStreamMayEndInDifferentWays() {
        String body = "event: x\rdata: {\"usage\":{\"total_tokens\":120}}\n\ndata: [DONE]\r\n\r\ndata: 7\r\n\n";
        assertThat(inEverySplit(EVENTS, body, TOTAL)).containsEntry(TOTAL, 120L);
    }

    @Test
    void anEndOfALineIsPartOfTheData() {
        assertThat(inEverySplit(EVENTS, "data: {\"usage\":{\"total_tokens\":12\ndata: 0}}\n\n", TOTAL))
                .isEmpty();
        assertThat(inEverySplit(EVENTS, "data: {\"usage\":{\"total_tokens\":\ndata: 120}}\n\n", TOTAL))
                .containsEntry(TOTAL, 120L);
    }

    @Test
    void theLastEventNeedsNoEmptyLine() {
        for (String type : List.of(EVENTS, "Text/Event-Stream", " text/event-stream ")) {
            assertThat(inEverySplit(type, "data: {\"usage\":{\"total_tokens\":9}}", TOTAL))
                    .containsEntry(TOTAL, 9L);
        }
    }

    @Test
    void anAbortedStreamHasTheFigureOfItsLastWholeEvent() {
        AnswerFigures figures = begun(EVENTS, TOTAL);
        figures.piece(
                "data: {\"usage\":{\"total_tokens\":9}}\n\ndata: {\"usage\":{\"total_tokens\":10}}".getBytes(UTF_8));
        figures.close();
        assertThat(texts(figures)).containsEntry(TOTAL, 9L);
    }

    /** The stream that the OpenAI documentation shows for the Responses API. */
    @Test
    void aStreamedResponseHasThePathsOfAWholeOne() {
        String body =
                "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"usage\":null}}\n\n"
                        + "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n"
                        + "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":37,"
                        + "\"output_tokens\":11,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":48}}}\n\n";
        assertThat(inEverySplit(EVENTS, body, TOTAL)).containsEntry(TOTAL, 48L);
    }

    /** The stream of Cohere's chat, version 2. */
    @Test
    void aFigureMayBeInsideOfADelta() {
        String path = "answer.json.usage.tokens.output_tokens";
        String body =
                "event: content-delta\ndata: {\"type\":\"content-delta\",\"delta\":{\"message\":{\"content\":{\"text\":\"Hi\"}}}}\n\n"
                        + "event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\",\"usage\":"
                        + "{\"billed_units\":{\"output_tokens\":25},\"tokens\":{\"input_tokens\":71,\"output_tokens\":26}}}}\n\n";
        assertThat(inEverySplit(EVENTS, body, path)).containsEntry(path, 26L);
        assertThat(inEverySplit(JSON, body.substring(body.lastIndexOf("data: ") + 6), path))
                .isEmpty();
    }

    /** The stream that the Anthropic documentation shows for messages. */
    @Test
    void aStreamedMessageHasTheFiguresOfItsBeginningAndItsEnd() {
        String in = "answer.json.usage.input_tokens";
        String out = "answer.json.usage.output_tokens";
        String explicit = "answer.json.message.usage.input_tokens";
        String begin = "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {\"content\": [],"
                + " \"usage\": {\"input_tokens\": 25, \"output_tokens\": 1}}}\n\n";
        String end =
                "event: message_delta\ndata: {\"type\": \"message_delta\", \"delta\": {\"stop_reason\": \"end_turn\"},"
                        + " \"usage\": {\"output_tokens\": 15}}\n\nevent: message_stop\ndata: {\"type\": \"message_stop\"}\n\n";
        assertThat(inEverySplit(EVENTS, begin + end, in, out, explicit))
                .containsOnly(Map.entry(in, 25L), Map.entry(out, 15L), Map.entry(explicit, 25L));
        String again = begin.replace("25", "26");
        assertThat(inEverySplit(EVENTS, begin + again, in, out)).containsOnly(Map.entry(in, 26L), Map.entry(out, 1L));
        AnswerFigures aborted = begun(EVENTS, in, out, explicit);
        aborted.piece(begin.getBytes(UTF_8));
        assertThat(texts(aborted)).containsOnly(Map.entry(explicit, 25L));
    }

    @Test
    void readsTheLastLineThatHasTheFigure() {
        String path = "answer.json.eval_count";
        String body = "{\"done\":false}\n{\"done\":false}\r\nbroken\n\n{\"done\":true,\"eval_count\":290}";
        assertThat(inEverySplit("application/x-ndjson", body, path)).containsEntry(path, 290L);
        assertThat(inEverySplit("application/x-ndjson", body + "\n{\"a\":\n", path))
                .containsEntry(path, 290L);
    }

    @Test
    void unpacksCompressedBodies() throws IOException {
        String body = "{\"text\":\"" + "a".repeat(5_000) + "\",\"usage\":{\"total_tokens\":77}}";
        byte[] gzip = gzip(body);
        ByteArrayOutputStream deflate = new ByteArrayOutputStream();
        try (OutputStream out = new DeflaterOutputStream(deflate)) {
            out.write(body.getBytes(UTF_8));
        }
        assertThat(inEverySplit(JSON, "gzip", gzip, TOTAL)).containsEntry(TOTAL, 77L);
        assertThat(inEverySplit(JSON, "x-gzip", gzip, TOTAL)).containsEntry(TOTAL, 77L);
        assertThat(inEverySplit(JSON, "deflate", deflate.toByteArray(), TOTAL)).containsEntry(TOTAL, 77L);
        assertThat(inEverySplit(JSON, "identity", body.getBytes(UTF_8), TOTAL)).containsEntry(TOTAL, 77L);
        assertThat(inEverySplit(JSON, "br", gzip, TOTAL)).isEmpty();
        assertThat(inEverySplit(JSON, "gzip, gzip", gzip, TOTAL)).isEmpty();
        assertThat(inEverySplit(JSON, "gzip", deflate.toByteArray(), TOTAL)).isEmpty();
        assertThat(inEverySplit(JSON, "gzip", Arrays.copyOf(gzip, 40), TOTAL)).isEmpty();
    }

    @Test
    void aBodyThatNeedsADictionaryHasNoFigure() throws IOException {
        Deflater deflater = new Deflater();
        deflater.setDictionary("usage".getBytes(UTF_8));
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new DeflaterOutputStream(packed, deflater)) {
            out.write("{\"usage\":{\"total_tokens\":77}}".getBytes(UTF_8));
        }
        deflater.end();
        assertThat(inEverySplit(JSON, "deflate", packed.toByteArray(), TOTAL)).isEmpty();
    }

    @Test
    void readsAllPartsOfGzip() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String part : List.of("{\"usage\":{\"total", "_tokens\":5}}")) {
            byte[] member = gzip(part);
            member[3] = 0x1e; // a checksum, an extra field, a name and a comment
            all.write(member, 0, 10);
            all.write(new byte[] {3, 0, 1, 0, 2});
            all.write("name\0comment\0".getBytes(UTF_8));
            all.write(new byte[] {9, 9});
            all.write(member, 10, member.length - 10);
        }
        assertThat(inEverySplit(JSON, "gzip", all.toByteArray(), TOTAL)).containsEntry(TOTAL, 5L);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 300})
    void anExtraFieldOfGzipMayHaveAnyLength(int length) throws IOException {
        byte[] member = gzip("{\"usage\":{\"total_tokens\":5}}");
        member[3] = 0x04;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(member, 0, 10);
        all.write(new byte[] {(byte) length, (byte) (length >> 8)});
        all.write(new byte[length]);
        all.write(member, 10, member.length - 10);
        assertThat(inEverySplit(JSON, "gzip", all.toByteArray(), TOTAL)).containsEntry(TOTAL, 5L);
    }

    @Test
    void aBodyThatOnlySaysThatItIsGzipHasNoFigure() throws IOException {
        for (int i = 0; i < 3; i++) {
            byte[] member = gzip("{\"usage\":{\"total_tokens\":5}}");
            member[i]++;
            assertThat(inEverySplit(JSON, "gzip", member, TOTAL)).isEmpty();
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    /** Returns what is read in one piece, after making sure that every other way to split the body gives the same. */
    private static Map<String, Long> inEverySplit(String type, String body, String... paths) {
        return inEverySplit(type, "", body.getBytes(UTF_8), paths);
    }

    private static Map<String, Long> inEverySplit(String type, String encoding, byte[] body, String... paths) {
        Map<String, Long> whole = read(type, encoding, body, new int[] {body.length}, paths);
        for (int at = 0; at <= body.length; at++) {
            assertThat(read(type, encoding, body, new int[] {at, body.length}, paths))
                    .isEqualTo(whole);
        }
        for (int size = 1; size <= 3; size++) {
            int step = size;
            int[] ends = IntStream.rangeClosed(1, body.length / step + 1)
                    .map(i -> Math.min(i * step, body.length))
                    .toArray();
            assertThat(read(type, encoding, body, ends, paths)).isEqualTo(whole);
        }
        return whole;
    }

    private static Map<String, Long> read(String type, String encoding, byte[] body, int[] ends, String... paths) {
        AnswerFigures figures = begun(type, encoding, paths);
        int from = 0;
        for (int to : ends) {
            figures.piece(Arrays.copyOfRange(body, from, to));
            from = to;
        }
        figures.end();
        return texts(figures);
    }

    private static AnswerFigures begun(String type, String path) {
        return begun(type, "", path);
    }

    private static AnswerFigures begun(String type, String first, String second, String third) {
        return begun(type, "", new String[] {first, second, third});
    }

    private static AnswerFigures begun(String type, String encoding, String... paths) {
        AnswerFigures figures = new AnswerFigures(
                Arrays.stream(paths).map(AnswerAttribute::parse).toList());
        figures.head(200, Map.of("content-type", List.of(type), "content-encoding", List.of(encoding))::get);
        return figures;
    }

    private static Map<String, Long> texts(AnswerFigures figures) {
        Map<String, Long> texts = new LinkedHashMap<>();
        figures.figures().forEach((attribute, figure) -> texts.put(attribute.toString(), figure));
        return texts;
    }
}
