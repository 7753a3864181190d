package io.sluice.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.source.FileDocuments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
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
                .containsExactly("f:1:8: tag: tag:yaml.org,2002:java.net.URL (expected: no type tags)");
        assertThat(errors("a: !x y")).singleElement().asString().startsWith("f:1:4: tag: !x");
    }

    @Test
    void refusesAliasesIntoThemselves() {
        assertThat(errors("a: &x [*x]"))
                .singleElement()
                .asString()
                .contains("alias: refers to a value that contains it");
    }

    @Test
    void refusesAliasesOfNothing() {
        assertThat(errors("a: *x")).containsExactly("f:1:4: alias: *x (expected: an earlier anchor)");
    }

    @Test
    void refusesAliasesThatStandForMoreThanABound() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 24; i++) {
            bomb.append("a" + i + ": &a" + i + " [*a" + (i - 1) + ", *a" + (i - 1) + "]\n");
        }
        String wide = "a: &a [" + "x, ".repeat(10_000) + "]\nb: [" + "*a, ".repeat(51) + "]";

        assertThat(errors(bomb.toString())).singleElement().asString().contains("aliases: expand to more than 250000");
        assertThat(errors(wide)).singleElement().asString().contains("aliases: expand to more than 250000");
    }

    @Test
    void sharesWhatAFewAliasesName() {
        Errors errors = new Errors("f");
        assertThat(YamlReader.read("f", "a: &x [1]\nb: [" + "*x, ".repeat(1_000) + "]", errors))
                .isPresent();
        assertThat(errors.isEmpty()).isTrue();
    }

    @Test
    void refusesTreesOfMoreValuesThanABound() {
        assertThat(errors("[" + "1,".repeat(3_500_000) + "1]"))
                .singleElement()
                .asString()
                .contains("values: more than 3000000");
    }

    @Test
    void readsLongTextsInTimeThatGrowsWithThem() {
        String megabytes = "x".repeat(4_000_000);
        for (String text : List.of(
                "a: \"" + megabytes + "\"",
                "a: " + megabytes,
                "a: |\n  " + megabytes,
                "a: >\n  " + "x\n  ".repeat(300_000),
                "# " + megabytes + "\na: b",
                "{\"a\": \"" + megabytes + "\"}")) {
            assertThat(YamlReader.read("f", text, new Errors("f"))).isPresent();
        }
    }

    @Test
    void readsPairsOfSurrogatesWhereverTheParserReadsOn() {
        for (int before = 0; before < 3; before++) {
            String text = "x".repeat(before) + "\ud83d\ude00".repeat(1_500_000);

            assertThat(YamlReader.read("f", "a: \"" + text + "\"", new Errors("f")))
                    .isPresent();
        }
    }

    @Test
    void refusesHugeDocuments() {
        assertThat(errors(" ".repeat(YamlReader.MOST_CHARACTERS + 1)))
                .singleElement()
                .asString()
                .startsWith("f:1:1: characters: ");
    }

    @Test
    void readsNoMoreOfAHugeFileThanItsSize(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("rules.yaml");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'\n'}), 200L * 1024 * 1024);
        }

        assertThat(((RuleDocument.Refused) FileDocuments.read(file)).errors())
                .singleElement()
                .asString()
                .isEqualTo(file + ": size: 209715201 bytes (expected: at most 33554432)");
    }

    @Test
    void refusesFloodsOfKeys() {
        assertThat(errors("rules: []\n".repeat(1_000_000)))
                .containsExactly("f:1:1: keys: more than 10000 in one mapping (expected: at most 10000)");
        assertThat(errors("{" + "\"rules\":1,".repeat(2_000_000) + "}"))
                .containsExactly("f:1:1: keys: more than 10000 in one mapping (expected: at most 10000)");
    }

    @Test
    void listsAThousandErrorsAndSaysThatThereAreMore() {
        RuleDocument document = RuleDocument.parse("f", "rules: []\n".repeat(5_000));

        assertThat(((RuleDocument.Refused) document).errors()).hasSize(1_001);
    }

    @Test
    void showsUntrustedValuesOnOneLine() {
        assertThat(PrintableText.text("a\nb\u001b[31m\u202e" + "x".repeat(100)))
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
