package io.sluice.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class HostileDocumentTest {

    @Test
    void refusesDeepNesting() {
        assertThat(errors("[".repeat(10_000))).singleElement().asString().contains("nesting: deeper than 50");
        assertThat(errors("{a: ".repeat(10_000))).singleElement().asString().contains("nesting: deeper than 50");
        assertThat(errors("- ".repeat(10_000))).singleElement().asString().contains("nesting: deeper than 50");
    }

    @Test
    void refusesTypeTags() {
        assertThat(errors("rules: !!java.net.URL [x]"))
                .containsExactly("f:1:8: document: tag: tag:yaml.org,2002:java.net.URL (expected: no tags)");
        assertThat(errors("a: !x y")).singleElement().asString().startsWith("f:1:4: document: tag: !x");
    }

    @Test
    void refusesAliasesIntoThemselves() {
        assertThat(errors("a: &x [*x]")).singleElement().asString().contains("alias: inside of what it names");
    }

    @Test
    void refusesManyAliases() {
        assertThat(errors("a: &x [1]\nb: [" + "*x, ".repeat(60) + "]")).isNotEmpty();
    }

    @Test
    void doesNotExpandAliases() {
        StringBuilder text = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 24; i++) {
            text.append("a" + i + ": &a" + i + " [*a" + (i - 1) + ", *a" + (i - 1) + "]\n");
        }
        Errors errors = new Errors("f");
        assertThat(YamlReader.read("f", text.toString(), errors)).isPresent();
        assertThat(errors.isEmpty()).isTrue();
    }

    @Test
    void refusesHugeDocuments() {
        assertThat(errors(" ".repeat(YamlReader.MOST_CHARACTERS + 1)))
                .singleElement()
                .asString()
                .startsWith("f:1:1: characters: ");
    }

    @Test
    void showsValuesOfStrangersOnOneLine() {
        assertThat(Shown.text("a\nb\u001b[31m\u202e" + "x".repeat(100)))
                .startsWith("a\\u000ab\\u001b[31m\\u202ex")
                .endsWith("…")
                .doesNotContain("\n", "\u001b", "\u202e");
    }

    private static List<String> errors(String text) {
        Errors errors = new Errors("f");
        assertThat(YamlReader.read("f", text, errors).isPresent() && errors.isEmpty())
                .isFalse();
        return errors.list().stream().map(DocumentError::toString).toList();
    }
}
