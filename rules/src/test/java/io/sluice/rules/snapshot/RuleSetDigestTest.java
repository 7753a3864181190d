package io.sluice.rules.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.testkit.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleSetDigestTest {

    @Test
    void theDigestIsTheSha256OfTheRulesAsJson() throws Exception {
        RuleSet set = set("rules: [{ id: a, limits: [{ rate: 1 }] }, { id: b, action: deny, name: Bäume }]");
        byte[] json = RuleJson.document(set.rules()).getBytes(StandardCharsets.UTF_8);

        assertThat(set.digest())
                .isEqualTo(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(json)))
                .matches("[0-9a-f]{64}");
    }

    @Test
    void formattingCommentsAndDefaultsDoNotChangeTheDigest() {
        String plain = "rules: [{ id: a, limits: [{ limit: 60, window: 1m }] }]";
        String other = """
                # the same, said by somebody else
                - enabled: true
                  limits:
                    - { window: 60s, algorithm: sliding_window, slices: 10, limit: 60 }   # a minute
                  id: "a"
                  deadline: 20ms
                """;
        String json = "{\"rules\": [{\"limits\": [{\"window\": \"1m\", \"limit\": 60}], \"id\": \"a\"}]}";

        assertThat(set(other).digest()).isEqualTo(set(plain).digest());
        assertThat(set(json).digest()).isEqualTo(set(plain).digest());
    }

    @Test
    void whatHasNoOrderDoesNotChangeTheDigest() {
        Random random = SeededRandom.of("RuleSetDigestTest");
        String first = null;
        for (int i = 0; i < 200; i++) {
            String digest = set(shuffled(random)).digest();
            first = first == null ? digest : first;
            assertThat(digest).isEqualTo(first);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{ id: a, limits: [{ rate: 1 }] }] | [{ id: b, limits: [{ rate: 1 }] }]",
                "[{ id: a, limits: [{ rate: 1 }] }] | [{ id: a, limits: [{ rate: 2 }] }]",
                "[{ id: a, limits: [{ rate: 1 }] }] | [{ id: a, limits: [{ rate: 1 }], name: x }]",
                "[{ id: a, action: deny }, { id: b, action: deny }] | [{ id: b, action: deny }, { id: a, action: deny }]",
                "[] | [{ id: a, action: deny }]"
            })
    void otherRulesHaveAnotherDigest(String one, String other) {
        assertThat(set(one).digest()).isNotEqualTo(set(other).digest());
    }

    @Test
    void theNumberIsNotPartOfTheDigest() {
        RuleSet set = set("[{ id: a, action: deny }]");

        RuleSet numbered = set.numbered(9);

        assertThat(numbered.version()).isEqualTo(9);
        assertThat(numbered.rules()).isEqualTo(set.rules());
        assertThat(numbered.digest()).isEqualTo(set.digest());
        assertThat(numbered.stamp()).isEqualTo(new RuleStamp(9, set.digest()));
        assertThat(numbered.matching(Attributes.of(Map.of()))).hasSize(1);
    }

    @Test
    void refusesWhatIsNoSet() {
        Rule rule = set("[{ id: a, action: deny }]").rules().get(0);
        List<Rule> twice = List.of(rule, rule);

        assertThatThrownBy(() -> new RuleSet(1, twice)).hasMessage("rules: a is defined twice (expected: unique ids)");
        assertThatThrownBy(() -> new RuleSet(-1, List.of())).hasMessage("version: -1 (expected: 0 or more)");
        assertThatThrownBy(() -> RuleSet.none().numbered(-1)).hasMessage("version: -1 (expected: 0 or more)");
        assertThatThrownBy(() -> new RuleStamp(1, "abc")).hasMessageStartingWith("digest: ");
    }

    private static String shuffled(Random random) {
        List<String> keys = new ArrayList<>(List.of(
                "methods: " + list(random, "GET", "POST", "PUT", "DELETE"),
                "match: { "
                        + String.join(
                                ", ",
                                order(
                                        random,
                                        "ip: " + list(random, "10.0.0.0/8", "192.0.2.7", "::1"),
                                        "user: " + list(random, "a", "b*", "c", "d?"),
                                        "plan: vip"))
                        + " }",
                "labels: { " + String.join(", ", order(random, "team: x", "tier: y", "z: z", "a: a")) + " }",
                "message: { " + String.join(", ", order(random, "en: no", "zh: bu")) + " }",
                "limits: [{ by: [tenant, user], limit: 5, window: 1m }]",
                "overrides: [{ when: { "
                        + String.join(", ", order(random, "plan: " + list(random, "x", "y", "z"), "app: a"))
                        + " }, limit: 9 }]",
                "id: a"));
        Collections.shuffle(keys, random);
        return "[{ " + String.join(", ", keys) + " }]";
    }

    private static String list(Random random, String... values) {
        return "["
                + String.join(
                        ", ",
                        order(random, values).stream().map(v -> "'" + v + "'").toList()) + "]";
    }

    private static List<String> order(Random random, String... values) {
        List<String> order = new ArrayList<>(List.of(values));
        Collections.shuffle(order, random);
        return order;
    }

    private static RuleSet set(String text) {
        RuleDocument document = RuleDocument.parse("t", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
