package io.sluice.center.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.edit.EditsJson;
import io.sluice.rules.document.RuleDocument;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LargeEditsTest {

    private static final int RULES = SeededRandom.scaled(2_500, 4_000);

    private final LargeEdits edits = new LargeEdits();

    private static String text(int rules, int rate) {
        List<Edit> puts = new ArrayList<>();
        for (int i = 0; i < rules; i++) {
            String rule = "{\"id\":\"r" + i + "\",\"limits\":[{\"rate\":\"" + rate + "/s\"}]}";
            puts.add(new Edit.Put(((RuleDocument.Accepted) RuleDocument.parseRule("test", rule))
                    .rules()
                    .get(0)));
        }
        return EditsJson.write(new Edits(puts, List.of()));
    }

    @Test
    void theSameLargeTextIsReadOnce() {
        Edits first = edits.read(text(RULES, 5));
        assertThat(edits.read(text(RULES, 5))).isSameAs(first);
        assertThat(first.list()).hasSize(RULES);
    }

    @Test
    void anotherTextIsReadAnew() {
        Edits first = edits.read(text(RULES, 5));
        Edits second = edits.read(text(RULES, 6));
        assertThat(second).isNotEqualTo(first).isEqualTo(EditsJson.read(text(RULES, 6)));
        assertThat(edits.read(text(RULES, 5))).isSameAs(first);
    }

    @Test
    void onlyAFewAreKept() {
        Edits first = edits.read(text(RULES, 1));
        for (int rate = 2; rate < SeededRandom.scaled(8, 20); rate++) {
            edits.read(text(RULES, rate));
        }
        assertThat(edits.read(text(RULES, 1))).isNotSameAs(first).isEqualTo(first);
    }

    @Test
    void smallOnesAreReadEachTime() {
        Edits first = edits.read(text(3, 5));
        assertThat(edits.read(text(3, 5))).isNotSameAs(first).isEqualTo(first);
    }
}
