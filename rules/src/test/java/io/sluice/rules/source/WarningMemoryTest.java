package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import org.junit.jupiter.api.Test;

class WarningMemoryTest {

    private final WarningMemory memory = new WarningMemory();

    @Test
    void eachWarningIsToldOnceWhereverItMoves() {
        String rules = "rules: [{ id: a, limits: [{ by: usr, rate: 1 }] }]";
        assertThat(memory.fresh(parsed(rules)))
                .containsExactly(
                        "rules in doubt: f:1:33: by: usr: nobody sends this attribute; user, perhaps? Declare it"
                                + " under attributes: if it is yours");
        assertThat(memory.fresh(parsed(rules))).isEmpty();
        assertThat(memory.fresh(parsed("# comment\n" + rules))).isEmpty();
        assertThat(memory.fresh(parsed("rules: []"))).isEmpty();
        assertThat(memory.fresh(parsed(rules))).as("it came back").hasSize(1);
    }

    @Test
    void tenAtMostAreToldAtATime() {
        StringBuilder rules = new StringBuilder("rules:\n");
        for (int i = 0; i < 12; i++) {
            rules.append("- { id: r" + i + ", limits: [{ by: own" + i + ", rate: 1 }] }\n");
        }
        assertThat(memory.fresh(parsed(rules.toString())))
                .hasSize(11)
                .endsWith("rules in doubt: 2 more warnings; ./sluice lint shows all");
    }

    private static RuleDocument parsed(String text) {
        return RuleDocument.parse("f", text);
    }
}
