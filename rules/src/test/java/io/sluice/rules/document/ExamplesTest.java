package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.cost.CostReader;
import io.sluice.rules.document.RuleDocument.Accepted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The example files and the documents in the reference are valid. */
class ExamplesTest {

    private static final Path EXAMPLES = Path.of("..", "examples", "rules");
    private static final Path REFERENCE = Path.of("..", "docs", "reference", "rules.md");

    private final Schema schema = new Schema(RuleSchema.json());

    @ParameterizedTest
    @MethodSource("files")
    void everyExampleIsAccepted(Path file) throws IOException {
        accepted(file.toString(), Files.readString(file));
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void everyDocumentOfTheReferenceIsAccepted(String text) {
        accepted("rules.md", text);
    }

    @Test
    void theReferenceNamesEveryKeyAndEveryWord() throws IOException {
        String reference = Files.readString(REFERENCE);
        Stream.of(
                        DocumentKeys.RULE,
                        DocumentKeys.LIMIT,
                        DocumentKeys.BY,
                        DocumentKeys.OVERRIDE,
                        DocumentKeys.LEASE,
                        CostReader.KEYS,
                        DocumentKeys.DIMENSION,
                        DocumentKeys.DOCUMENT)
                .flatMap(keys -> keys.stream())
                .forEach(key -> assertThat(reference).containsPattern("[`{ ]\\Q" + key + "\\E[`:]"));
        Stream.of(
                        DocumentWords.ACTIONS,
                        DocumentWords.MODES,
                        DocumentWords.POLICIES,
                        DocumentWords.ABSENT,
                        DocumentWords.UNREAD,
                        DocumentWords.PRIVACY,
                        DocumentWords.CALENDARS,
                        DocumentWords.ALGORITHMS)
                .flatMap(words -> words.keySet().stream())
                .forEach(word -> assertThat(reference).contains("`" + word + "`"));
    }

    private void accepted(String name, String text) {
        RuleDocument document = RuleDocument.parse(name, text);
        assertThat(document).isInstanceOf(Accepted.class);
        assertThat(document.warnings()).isEmpty();
        assertThat(schema.accepts(JsonValues.parse(text))).isTrue();
        List<io.sluice.rules.model.Rule> rules = ((Accepted) document).rules();
        assertThat(rules).isNotEmpty();
        assertThat(((Accepted) RuleDocument.parse(name, RuleJson.document(rules))).rules())
                .isEqualTo(rules);
    }

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            List<Path> all = files.sorted().toList();
            assertThat(all).hasSizeGreaterThan(6);
            return all;
        }
    }

    static List<String> snippets() throws IOException {
        List<String> snippets = new ArrayList<>();
        String text = Files.readString(REFERENCE);
        for (int at = text.indexOf("```yaml\n"); at >= 0; at = text.indexOf("```yaml\n", at + 1)) {
            int start = at + "```yaml\n".length();
            snippets.add(text.substring(start, text.indexOf("```", start)));
        }
        assertThat(snippets).hasSizeGreaterThan(6);
        return snippets;
    }
}
