package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.testkit.SeededRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Any document is either accepted or refused with located errors; nothing else ever happens. */
class MutatedDocumentTest {

    private static final List<String> PIECES = List.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            ": ",
            ",",
            "- ",
            "\n",
            "\n  ",
            "\"",
            "'",
            "&a ",
            "*a",
            "!x ",
            "| ",
            "> ",
            "#",
            "? ",
            "%",
            "@",
            "`",
            "~",
            "null",
            "true",
            "0",
            "-1",
            "1e9",
            "99999999999999999999",
            "1s",
            "5/s",
            "\t",
            "\\",
            "\u0000",
            "\ud83d",
            "\u2028",
            "\ufeff",
            "---\n",
            "...\n",
            "<<: ",
            "limits: ",
            "by: ",
            "when: {}",
            "rules:",
            "=");

    private final long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @Test
    void everyMutatedDocumentIsAcceptedOrRefused() throws IOException {
        System.out.println("everyMutatedDocumentIsAcceptedOrRefused: seed " + seed);
        List<String> documents = documents();
        int accepted = 0;
        int rounds = SeededRandom.scaled(1_000, 30_000);
        for (int i = 0; i < rounds; i++) {
            StringBuilder text = new StringBuilder(documents.get(random.nextInt(documents.size())));
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                mutate(text);
            }
            RuleDocument document = RuleDocument.parse("f", text.toString());
            if (document instanceof Accepted rules) {
                accepted++;
                Accepted again = (Accepted) RuleDocument.parse("f", RuleJson.document(rules.rules()));
                assertThat(again.rules()).isEqualTo(rules.rules());
            } else {
                assertThat(((Refused) document).errors())
                        .as("seed %s: %s", seed, text)
                        .isNotEmpty()
                        .allSatisfy(error -> {
                            assertThat(error.line()).isPositive();
                            assertThat(error.column()).isPositive();
                            assertThat(error.message().chars()).noneMatch(Character::isISOControl);
                        });
            }
        }
        assertThat(accepted).isPositive();
    }

    private void mutate(StringBuilder text) {
        int at = random.nextInt(text.length() + 1);
        int end = Math.min(text.length(), at + random.nextInt(8));
        switch (random.nextInt(4)) {
            case 0 -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
            case 1 -> text.delete(at, end);
            case 2 -> text.replace(at, end, PIECES.get(random.nextInt(PIECES.size())));
            default -> {
                int from = random.nextInt(text.length() + 1);
                text.insert(at, text.substring(from, Math.min(text.length(), from + random.nextInt(60))));
            }
        }
    }

    private static List<String> documents() throws IOException {
        List<String> documents = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("..", "examples", "rules"))) {
            for (Path file : files.sorted().toList()) {
                String text = Files.readString(file);
                documents.add(text);
                documents.add(RuleJson.document(((Accepted) RuleDocument.parse("f", text)).rules()));
            }
        }
        return documents;
    }
}
