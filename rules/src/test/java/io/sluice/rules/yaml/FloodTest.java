package io.sluice.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.testkit.SeededRandom;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Documents that are only large. On an idle machine, each is refused in less than a second. The tests assert how far a document
 * was read. The timeout only stops tests that would take hours.
 */
@Timeout(300)
class FloodTest {

    /** Lengths of documents: the maximum, and one that is not refused for its size alone. */
    private static final List<Integer> SIZES =
            SeededRandom.sample(List.of(YamlReader.MOST_CHARACTERS - 100, 7_900_000), 1);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "scalars in JSON | [ | 1, | 1]",
                "escapes in JSON | {\"a\": \" | \\u0041 | \"}",
                "mappings in JSON | {\"rules\": [ | {}, | {}]}",
                "bad rules in JSON | {\"rules\": [ | {\"id\":1}, | {}]}",
                "bad methods in JSON | {\"rules\":[{\"id\":\"a\",\"methods\":[ | \"1\", | \"1\"]}]}",
                "YAML that looks like JSON | { | a: b,` ` | }",
                "scalars in a list | rules:¶ | - a¶ | - a",
                "scalars at the root | - a¶ | - a¶ | - a",
                "bad rules | rules:¶ | - {a: b}¶ | - a",
                "lists of nothing | rules: [ | [], | ]",
                "nesting | [ | [ | ]",
                "a key that nobody knows | nope:¶ | - {id: a, rate: 1}¶ | - a",
                "keys | a: b¶ | rules: []¶ | a: b",
                "overrides | rules: [{id: a, limits: [{rate: 1/s}], overrides: [ | {when: {user: a}, rate: 2/s},| ]}]",
                "comments | # | # aaaaaaaaaaaaaaaaaaaaaaaaaaa¶ | a: b",
                "one comment | # | a | ¶a: b",
                "blank lines | # | ¶ | a: b",
                "one text | a: ' | a | '",
                "escapes | a: \" | \\u0041 | \"",
                "a folded text | a: >¶ | ·· a¶ | b: c",
                "a quoted text of many lines | a: '¶ | a¶ | '",
                "anchors | a:¶ | - &a a¶ | - a",
                "aliases | a: &a b¶c:¶ | - *a¶ | - a",
                "documents | --- | ---¶ | a",
                "a tag | a: ! | ! | b",
                "characters of two halves | a: ' | 😀 | '",
            })
    void refusesFloodsOf(String what, String start, String unit, String end) {
        refuses(what, start, unit, end);
    }

    /** Each of these resembles one of the others. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "texts in JSON | [ | \"aaaaaaa\", | 1]",
                "scalars in a flow | rules: [ | a, | a]",
                "keys without values | rules:¶ | - a:¶ | - a",
                "lists in lists | a:¶ | - - - - -¶ | - a",
                "comments behind values | a:¶ | - a # aaaaaaaaaaaaaaaaaaaaaaaaaaa¶ | - a",
                "quotes | a: ' | '' | '",
                "short escapes | a: \" | \\n | \"",
                "a text of many lines | a: |¶ | ·· a¶ | b: c",
                "a text without an end | a: '¶ | a¶ | a",
                "directives | %A b¶ | %A b¶ | --- a",
            })
    void refusesSimilarFloodsOf(String what, String start, String unit, String end) {
        refuses(what, start, unit, end);
    }

    private static void refuses(String what, String start, String unit, String end) {
        for (int size : SIZES) {
            String one = text(unit);
            String document = text(start) + one.repeat(size / one.length()) + text(end);

            List<DocumentError> errors = ((Refused) RuleDocument.parse("f", document)).errors();

            int read = read(document, errors.get(errors.size() > 1_000 ? 999 : errors.size() - 1));
            assertThat(isRefusedByItsLook(errors)
                            || read <= Bounds.MOST_CHARACTERS_BEFORE_ITEMS + TextVolume.LONGEST_RUN)
                    .as("%s of %s, read up to %s: %s", what, size, read, errors.get(0))
                    .isTrue();
        }
    }

    @Test
    void refusesValuesThatAreNotPartOfGoodRules() {
        String flood = "- a\n".repeat(1_500_000);

        assertThat(first("nope:\n" + flood).line()).isLessThanOrEqualTo(Bounds.MOST_BEFORE_ITEMS);
        assertThat(first("nope:\n" + flood).message()).startsWith("values: more than 800000 plus 200 for each");
        assertThat(errors("rules:\n" + flood)).hasSize(1_001);
    }

    @Test
    void stopsAtTheErrorAfterTheThousandth() {
        List<DocumentError> errors = errors("rules:\n" + "- {id: a}\n".repeat(300_000));

        assertThat(errors).hasSize(1_001);
        assertThat(errors.get(999).line()).isLessThan(1_010);
    }

    @Test
    void readsManyRules() {
        int many = SeededRandom.scaled(10_000, 100_000);
        StringBuilder document = new StringBuilder("# Rules\nrules:\n");
        for (int i = 0; i < many; i++) {
            document.append("  - id: rule-" + i + "\n    name: The rule of resource " + i
                    + "\n    service: user-service\n    resource: /api/v1/r" + i
                    + "/{id}\n    methods: [GET, POST]\n    match: { tenant: [t-1, t-2] }\n    limits:\n"
                    + "      - { id: a, by: user, rate: 100/s, burst: 200 }\n"
                    + "      - { id: b, by: [ip], limit: 1000, window: 1h }\n");
        }

        assertThat(((Accepted) RuleDocument.parse("f", document.toString())).rules())
                .hasSize(many);
    }

    private static boolean isRefusedByItsLook(List<DocumentError> errors) {
        return errors.size() == 1 && errors.get(0).message().endsWith("(expected: a smaller document or several)");
    }

    /** Returns how many characters precede an error. */
    private static int read(String document, DocumentError error) {
        int at = 0;
        for (int line = 1; line < error.line(); line++) {
            at = document.indexOf('\n', at) + 1;
        }
        return at + error.column();
    }

    private static String text(String written) {
        return written.replace("¶", "\n").replace("·", " ");
    }

    private static DocumentError first(String document) {
        return errors(document).get(0);
    }

    private static List<DocumentError> errors(String document) {
        return ((Refused) RuleDocument.parse("f", document)).errors();
    }
}
