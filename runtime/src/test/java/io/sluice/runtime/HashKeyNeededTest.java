package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import org.junit.jupiter.api.Test;

class HashKeyNeededTest {

    private final HashKeyNeeded needed = new HashKeyNeeded("sluice.hash-key-file");

    @Test
    void refusesRulesThatHashKeys() {
        assertThat(needed.faults(set("{ by: user, limit: 3, window: 1m, privacy: hash }")))
                .singleElement()
                .extracting(DocumentError::message)
                .isEqualTo(
                        "hash key: none, but rules use privacy: hash (expected: sluice.hash-key-file, the same on every"
                                + " node of this Redis)");
    }

    @Test
    void acceptsRulesThatDoNot() {
        assertThat(needed.faults(set("{ by: user, limit: 3, window: 1m, privacy: plain }")))
                .isEmpty();
        assertThat(needed.faults(RuleSet.none())).isEmpty();
    }

    private static RuleSet set(String limit) {
        RuleDocument document = RuleDocument.parse("t", "rules: [{ id: r, limits: [" + limit + "] }]");
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
