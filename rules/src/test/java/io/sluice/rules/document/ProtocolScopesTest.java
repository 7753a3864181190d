package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProtocolScopesTest {

    private static final String WRITTEN = """
            {"id":"edge","envoy":{"domain":"edge","path":[{"key":"user","value":"50"}],"quota":true},"limits":[{"rate":"1/s"}]}""";

    @Test
    void keepsTheScopeOfAProtocolWhoseModuleIsMissing() {
        Rule rule = accepted("rules: [" + WRITTEN + "]").get(0);

        assertThat(rule.protocol().orElseThrow().content())
                .containsEntry("domain", "edge")
                .containsEntry("quota", true);
        assertThat(accepted(RuleJson.document(List.of(rule)))).containsExactly(rule);
    }

    @Test
    void keepsTheTypesOfValuesInAScopeWhoseModuleIsMissing() {
        String written = WRITTEN.replace(
                "\"quota\":true",
                "\"metadata\":{\"a\":7,\"b\":0.5,\"c\":null,\"d\":\"7\",\"e\":[true,\"true\",-1.0E20],\"f\":{}}");
        Rule rule = accepted("rules: [" + written + "]").get(0);

        assertThat(RuleJson.rule(rule)).isEqualTo(written);
    }

    @Test
    void matchesNoRequestByTheScopeOfAnotherProtocol() {
        RuleSet set = new RuleSet(1, accepted("rules: [" + WRITTEN + "]"));

        assertThat(set.matching(Attributes.of(Map.of("user", "50")))).isEmpty();
        assertThat(set.hasProtocolScopes()).isTrue();
        assertThat(set.hasScopes()).isFalse();
    }

    @Test
    void refusesAScopeBesideAMatchAndOneThatIsNoMapping() {
        assertThat(refused("rules: [{ id: a, service: s, envoy: { domain: d }, limits: [{ rate: 1 }] }]"))
                .contains(
                        "service: not allowed together with envoy (expected: none; the descriptors select the requests)");
        assertThat(refused("rules: [{ id: a, envoy: d, limits: [{ rate: 1 }] }]"))
                .contains("envoy: d (expected: a mapping)");
        assertThat(refused("rules: [{ id: a, action: deny, envoy: { domain: d } }]"))
                .contains("action: deny together with envoy (expected: limit or exempt)");
    }

    private static List<Rule> accepted(String text) {
        return ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", text)).rules();
    }

    private static String refused(String text) {
        return ((RuleDocument.Refused) RuleDocument.parse("rules.yaml", text))
                .errors()
                .toString();
    }
}
