package io.sluice.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents give the same items, the same rest and the same errors, whether simple items are read by the library or not. */
class SimpleItemsTest {

    private static final String DOCUMENT = """
            # The rules of the shop
            attributes: [region, basket.size]
            $schema: https://example.org/schema.json

            rules:
              - id: login   # everybody
                resource: "/api/login/{name}"
                methods: [GET, POST]
                limits:
                  - { by: [ip, header.x-app], limit: 5, window: 1m }
                  - by: user
                    rate: 50/s
                    cost: {reserve: json.max_tokens, "default": 10, 'settle': answer.json.usage}

                # The next one has lists at the column of their keys.
                labels:
                  team: shop # payments
                  über: "größer: # als"
              - id: sms
                limits:
                - limit: 1
                  window: 1h
                -   limit:   2
                    window: 1d
                message: {en: 'Wait, please.', zh: 请稍候}
              - { id: empty, match: {}, limits: [], labels: { a: -5, b: ~, c: a b c } }
              - id: last
                action: exempt
                match:
                  ip: 10.0.0.0/8
            """;

    private static final List<String> PIECES = List.of(
            " ",
            "  ",
            "\n",
            "\n  - ",
            "\n    ",
            "- ",
            ": ",
            ":",
            ", ",
            ",",
            "[",
            "]",
            "{",
            "}",
            "{}",
            "\"",
            "'",
            "''",
            "#",
            " # c",
            "&a ",
            "*a",
            "!t ",
            "|\n",
            ">\n",
            "? ",
            "%",
            "@",
            "`",
            "\\",
            "\\n",
            "\t",
            "\r\n",
            "~",
            "null",
            "---\n",
            "...\n",
            "a",
            "1",
            "ä",
            "\u2028",
            "\u0085",
            "\ufeff",
            "😀",
            "\u0000",
            "rules:\n",
            "id: x",
            "\n- id: y\n",
            "-",
            "?",
            "-1",
            "a: b: c");

    /** What reading a document gave. */
    private record Reading(
            List<YamlValue> items,
            Optional<YamlValue> root,
            @Nullable String error) {}

    private static Reading read(String text, boolean all) {
        List<YamlValue> items = new ArrayList<>();
        ItemHandler handler = new ItemHandler("rules", items::add);
        try {
            Optional<YamlValue> root = all ? YamlTree.readAll("f", text, handler) : YamlTree.read("f", text, handler);
            return new Reading(items, root, null);
        } catch (UnreadableDocument e) {
            Errors errors = new Errors("f");
            e.addTo(errors);
            return new Reading(items, Optional.empty(), errors.list().toString());
        }
    }

    private static void check(String text) {
        Reading library = read(text, true);
        Reading own = read(text, false);
        assertThat(own.error()).as(text).isEqualTo(library.error());
        assertThat(own.root()).as(text).isEqualTo(library.root());
        if (library.error() == null) {
            assertThat(own.items()).as(text).isEqualTo(library.items());
        } else {
            // The library notices an error after an item before it has finished the item.
            int same = library.items().size();
            assertThat(own.items().size()).as(text).isBetween(same, same + 1);
            assertThat(own.items().subList(0, same)).as(text).isEqualTo(library.items());
        }
    }

    @Test
    void leavesOnlyTheLastItemOfASimpleDocument() {
        List<YamlValue> items = new ArrayList<>();
        SimpleItems.Rest rest = SimpleItems.take(DOCUMENT, new ItemHandler("rules", items::add), Bounds.ofYaml());

        assertThat(items).hasSize(3);
        assertThat(rest.text()).contains("- id: last").doesNotContain("- id: sms", "empty");
        assertThat(rest.line(6)).isEqualTo(6 + rest.lines());
        check(DOCUMENT);
    }

    @Test
    void readsARootListAndListsAtTheColumnOfTheirKey() {
        String list = DOCUMENT.substring(DOCUMENT.indexOf("  - id: login"));
        List<YamlValue> items = new ArrayList<>();
        SimpleItems.take(list, new ItemHandler("rules", items::add), Bounds.ofYaml());
        SimpleItems.take(DOCUMENT.replace("\n  ", "\n"), new ItemHandler("rules", items::add), Bounds.ofYaml());

        assertThat(items).hasSize(6);
        check(list);
        check(DOCUMENT.replace("\n  ", "\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "rules:",
                "rules:\n",
                "rules: []\n",
                "rules:\n  - a\n  - b\nrules:\n  - c\n  - d\n",
                "rules:\n  - a\n  - b\nother: c\n",
                "rules:\n  - a\n  - b\n---\na: b\n",
                "rules:\n  - a: 1\n    a: 2\n  - a: 1\n\n  - c",
                "rules:\n  - a:\n  - b: 1\n  - c: d",
                "rules:\n  - a: b\n     c: d\n  - e",
                "rules:\n  - a: b\n   c: d\n  - e",
                "rules:\n  - a: b\n      c\n  - e: f\n  - g",
                "rules:\n  - a: b\n - e: f\n  - g",
                "rules:\n  - a: [b,\n      c]\n  - d\n  - e",
                "rules:\n  - {a: [b, c], }\n  - [a, b: c]\n  - d",
                "rules:\n  - {a: b:c, d: 'x'y}\n  - [a, b: c]\n  - d",
                "rules:\n  - {'a':b, \"c\": 'd', e: f#g, h: i #j}\n  - k\n  - l",
                "rules:\n  - {a: {b: {c: [[], {}, [[d]]]}}}\n  - e\n  - f",
                "rules:\n  -a\n  - b\n  - c",
                "rules:\n  -\n    a: b\n  - c: d\n  - e",
                "rules:\n  - a:\n      b\n  - c\n  - d",
                "rules:\n  - a: &x b\n  - *x\n  - *y",
                "rules:\n  - a: \"b\\n\"\n  - 'it''s'\n  - d",
                "rules:\n  - a: |\n      text\n  - c\n  - d",
                "rules:\n  - a: b # c\n\n\n  # d\n   # e\n# f\n  - g\n  - h",
                "rules:\n  - - a\n    - b\n  - c\n  - d",
                "rules:\n  - a: b: c\n  - d\n  - e",
                "rules:\n  - a :b\n  - a : b\n  - e",
                "rules:\n  - a: b\n  - e\n\u0000",
                "attributes: a\n  b\nrules:\n  - a\n  - b",
                "attributes:\nrules:\n  - a\n  - b",
                "attributes:\n  - x\nrules:\n  - a\n  - b",
                "attributes: \"\nrules:\n  - a\n  - b\"",
                "- a: b\n- c: d\n",
                "- a: b\n- c: d\nrules:\n  - a\n",
                "a: b\n- c: d\n- e: f\n",
                "{rules: [a,\n  b]}\n",
                "  rules:\n    - a\n    - b\n",
                "\"rules\":\n  - a\n  - b\n",
                "rules:\n\t- a\n\t- b\n",
                "rules:\r\n  - a: b\r\n  - b\r\n",
            })
    void agreesWithTheLibraryOn(String text) {
        check(text);
    }

    @Test
    void agreesWithTheLibraryOnDocumentsThatWereDamaged() {
        SeededRandom random = SeededRandom.of("simple items");
        int simple = 0;
        for (int i = 0; i < SeededRandom.scaled(3_000, 300_000); i++) {
            StringBuilder text = new StringBuilder(DOCUMENT);
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                int at = random.nextInt(text.length());
                int to = Math.min(text.length(), at + (random.nextInt(3) == 0 ? 0 : random.nextInt(12)));
                text.replace(at, to, random.nextInt(4) == 0 ? "" : PIECES.get(random.nextInt(PIECES.size())));
            }
            check(text.toString());
            simple += SimpleItems.take(text.toString(), new ItemHandler("rules", item -> true), Bounds.ofYaml())
                                    .lines()
                            > 0
                    ? 1
                    : 0;
        }
        assertThat(simple).as(random.toString()).isPositive();
    }
}
