package io.sluice.http.figure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.AnswerAttribute;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random documents, whole and damaged, in random pieces, against what Jackson reads. */
final class RandomAnswersTest {

    private static final long SEED = 20_261_118;
    private static final int ROUNDS = 5_000;
    private static final List<String> NAMES = List.of("a", "b", "usage", "0", "1", "ä", "😀", "a\"b", "x\\");
    private static final BigDecimal MOST = BigDecimal.valueOf(Limit.MAX_PERMITS);
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final Random random = new Random(SEED);

    @Test
    void readsWhatJacksonReads() throws JsonProcessingException {
        int withFigures = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] document = bytes(object(4));
            List<AnswerAttribute> wanted = paths();
            Map<AnswerAttribute, Long> expected = expected(MAPPER.readTree(new String(document, UTF_8)), wanted);
            withFigures += expected.isEmpty() ? 0 : 1;
            assertThat(inRandomPieces("application/json", document, wanted))
                    .as("round %d: %s", round, new String(document, UTF_8))
                    .isEqualTo(expected);
        }
        assertThat(withFigures).isGreaterThan(ROUNDS / 10);
    }

    @Test
    void damagedDocumentsHaveFiguresOnlyIfJacksonReadsThem() throws JsonProcessingException {
        int broken = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] document = damaged(bytes(object(3)));
            List<AnswerAttribute> wanted = paths();
            Map<AnswerAttribute, Long> expected = Map.of();
            String text = new String(document, UTF_8);
            try {
                JsonNode read = MAPPER.readTree(text);
                expected = read.isObject() ? expected(read, wanted) : expected;
            } catch (JsonParseException e) {
                broken++;
            } catch (MismatchedInputException e) {
                continue; // a name that occurs twice: Jackson takes the last value, whatever it is
            }
            assertThat(inRandomPieces("application/json", text.getBytes(UTF_8), wanted))
                    .as("round %d: %s", round, text)
                    .isEqualTo(expected);
        }
        assertThat(broken).isBetween(ROUNDS / 4, ROUNDS);
    }

    @Test
    void eventsAndLinesHaveTheLastFigure() throws JsonProcessingException {
        for (int round = 0; round < ROUNDS / 10; round++) {
            List<AnswerAttribute> wanted = paths();
            Map<AnswerAttribute, Long> expected = new HashMap<>();
            StringBuilder events = new StringBuilder();
            StringBuilder lines = new StringBuilder();
            for (int event = random.nextInt(5); event >= 0; event--) {
                String document = new String(bytes(object(3)), UTF_8);
                expected.putAll(expected(MAPPER.readTree(document), wanted));
                events.append("data: ")
                        .append(document.replace("\n", "\ndata:"))
                        .append("\n\n");
                lines.append(document.replace("\n", "")).append('\n');
            }
            assertThat(inRandomPieces("text/event-stream", events.toString().getBytes(UTF_8), wanted))
                    .isEqualTo(expected);
            assertThat(inRandomPieces("application/x-ndjson", lines.toString().getBytes(UTF_8), wanted))
                    .isEqualTo(expected);
        }
    }

    private Map<AnswerAttribute, Long> inRandomPieces(String type, byte[] body, List<AnswerAttribute> wanted) {
        AnswerFigures figures = new AnswerFigures(wanted);
        figures.head(200, name -> name.equals("content-type") ? List.of(type) : List.of());
        int from = 0;
        while (from < body.length) {
            int to = Math.min(body.length, from + 1 + random.nextInt(12));
            figures.piece(Arrays.copyOfRange(body, from, to));
            from = to;
        }
        figures.end();
        return figures.figures();
    }

    private static Map<AnswerAttribute, Long> expected(JsonNode document, List<AnswerAttribute> wanted) {
        Map<AnswerAttribute, Long> figures = new HashMap<>();
        for (AnswerAttribute attribute : wanted) {
            JsonNode node = document;
            for (String name : attribute.path()) {
                boolean index = name.matches("0|[1-9][0-9]*");
                node = node.isArray() && index ? node.path(Integer.parseInt(name)) : node.path(name);
            }
            if (node.isNumber() && node.decimalValue().compareTo(MOST) > 0) {
                figures.put(attribute, MOST.longValue());
            } else if (node.isNumber() && node.decimalValue().signum() >= 0 && node.doubleValue() % 1 == 0) {
                figures.put(attribute, node.longValue());
            }
        }
        return figures;
    }

    private List<AnswerAttribute> paths() {
        return random.ints(20, 1, 4)
                .mapToObj(length -> "answer.json."
                        + String.join(
                                ".",
                                random.ints(length, 0, NAMES.size())
                                        .mapToObj(NAMES::get)
                                        .toList()))
                .distinct()
                .map(AnswerAttribute::parse)
                .toList();
    }

    private ObjectNode object(int deep) {
        ObjectNode object = MAPPER.createObjectNode();
        for (int i = random.nextInt(6); i > 0; i--) {
            object.set(NAMES.get(random.nextInt(NAMES.size())), value(deep));
        }
        return object;
    }

    private JsonNode value(int deep) {
        return switch (random.nextInt(deep == 0 ? 6 : 10)) {
            case 0 -> MAPPER.getNodeFactory().numberNode(random.nextInt(1_000_000_000));
            case 1 -> MAPPER.getNodeFactory().numberNode(-random.nextInt(100));
            case 2 -> MAPPER.getNodeFactory().numberNode(random.nextInt(40) / 4.0);
            case 3 -> MAPPER.getNodeFactory().textNode("{\"a\":1}\n\\" + NAMES.get(random.nextInt(NAMES.size())));
            case 4 -> MAPPER.getNodeFactory().booleanNode(random.nextBoolean());
            case 5 -> MAPPER.getNodeFactory().nullNode();
            case 6, 7, 8 -> object(deep - 1);
            default -> {
                ArrayNode list = MAPPER.createArrayNode();
                for (int i = random.nextInt(3); i > 0; i--) {
                    list.add(value(deep - 1));
                }
                yield list;
            }
        };
    }

    private byte[] bytes(JsonNode document) throws JsonProcessingException {
        ObjectWriter writer = random.nextBoolean() ? MAPPER.writer() : MAPPER.writerWithDefaultPrettyPrinter();
        return (random.nextBoolean() ? writer : writer.with(JsonWriteFeature.ESCAPE_NON_ASCII))
                .writeValueAsString(document)
                .getBytes(UTF_8);
    }

    /** Changes, removes or adds a byte. */
    private byte[] damaged(byte[] document) {
        String marks = "{}[]\",:\\0123456789.eE+-u \ntfn";
        byte[] copy = document.clone();
        int at = random.nextInt(copy.length);
        switch (random.nextInt(3)) {
            case 0 -> copy[at] = (byte) marks.charAt(random.nextInt(marks.length()));
            case 1 -> copy = Arrays.copyOf(copy, at);
            default -> {
                copy = new byte[document.length + 1];
                System.arraycopy(document, 0, copy, 0, at);
                copy[at] = (byte) marks.charAt(random.nextInt(marks.length()));
                System.arraycopy(document, at, copy, at + 1, document.length - at);
            }
        }
        return copy;
    }
}
