package io.sluice.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonObjectTest {

    private static final int MOST = 1_000;

    @Test
    void readsFieldsByNameAndIgnoresOthers() {
        JsonObject object = JsonObject.parse(
                "{\"name\":\"a\\u00e9\\n\",\"count\":12,\"list\":[\"x\",\"y\"],\"in\":{\"n\":1},"
                        + "\"none\":null,\"new\":[{}]}",
                MOST);

        assertThat(object.text("name")).isEqualTo("aé\n");
        assertThat(object.whole("count", 0, 12)).isEqualTo(12);
        assertThat(object.texts("list")).containsExactly("x", "y");
        assertThat(object.object("in").orElseThrow().whole("n", 1, 1)).isEqualTo(1);
        assertThat(object.object("none")).isEmpty();
        assertThat(object.object("absent")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "[]",
                "7",
                "null",
                "{",
                "{\"a\":1",
                "{\"a\":1}}",
                "{a: 1}",
                "a: 1",
                "{\"a\":1,\"a\":2}",
                "{'a':1}"
            })
    void refusesWhatIsNoJsonObject(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> JsonObject.parse(text, MOST));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"12\"|count: 12 (expected: a number, 0..99)",
                "1.5|count: 1.5 (expected: a number, 0..99)",
                "1e1|count: 1e1 (expected: a number, 0..99)",
                "100|count: 100 (expected: a number, 0..99)",
                "-1|count: -1 (expected: a number, 0..99)",
                "99999999999999999999|count: 99999999999999999999 (expected: a number, 0..99)",
                "null|count: nothing (expected: a number, 0..99)",
                "true|count: true (expected: a number, 0..99)",
                "[1]|count: a list (expected: a number, 0..99)"
            })
    void refusesWhatIsNoNumberInRange(String value, String message) {
        JsonObject object = JsonObject.parse("{\"count\":" + value + "}", MOST);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> object.whole("count", 0, 99))
                .withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"12", "null", "false", "{}", "[\"a\"]"})
    void refusesWhatIsNoText(String value) {
        JsonObject object = JsonObject.parse("{\"name\":" + value + ",\"list\":[" + value + "]}", MOST);

        assertThatIllegalArgumentException().isThrownBy(() -> object.text("name"));
        assertThatIllegalArgumentException().isThrownBy(() -> object.texts("list"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> object.text("absent"))
                .withMessageContaining("missing");
    }

    @Test
    void refusesAnObjectThatIsAText() {
        JsonObject object = JsonObject.parse("{\"in\":\"{}\"}", MOST);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> object.object("in"))
                .withMessage("in: {} (expected: an object)");
    }

    @Test
    void refusesALongMessageBeforeItIsParsed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonObject.parse("x".repeat(MOST + 1), MOST))
                .withMessage("characters: 1001 (expected: at most 1000)");
    }

    @Test
    void refusesDeepNesting() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonObject.parse("{\"a\":".repeat(200), 10_000))
                .withMessageContaining("nesting");
    }
}
