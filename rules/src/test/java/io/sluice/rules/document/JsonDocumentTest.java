package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.document.RuleDocument.Text;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonDocumentTest {

    @Test
    void readsJsonHoweverItIsIndentedAndEscaped() {
        Rule rule = only("""
                {
                \t"$schema": "x",
                \t"rules": [
                \t\t{
                \t\t\t"id": "\\u0061",\r
                \t\t\t"name": "\\ud83d\\ude00\\/\\"", "enabled": false,
                \t\t\t"limits": [{"rate":5}]
                \t\t}
                \t]
                }
                """);

        assertThat(rule.id()).isEqualTo("a");
        assertThat(rule.about().name()).contains("\ud83d\ude00/\"");
        assertThat(rule.enabled()).isFalse();
    }

    @Test
    void locatesErrors() {
        assertThat(
                        errors(
                                "{\n\t\"rules\": [\n\t\t{\"name\": \"\ud83d\ude00\", \"id\": 5.5, \"limits\": [{\"rat\": 1}]}]}"))
                .containsExactly(
                        "f:3:39: limit: neither rate nor limit (expected: one of the two, such as rate: 50/s)",
                        "f:3:40: unknown key: rat (expected: a known key; did you mean rate?)");
        assertThat(errors("{\n\t\"rules\": [\n\t\t{\"id\": \"a\" \"limits\": []}]}"))
                .containsExactly("f:3:14: document: \"limits\": []}]} (expected: ',' or '}')");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"rules\": [{\"id\": \"a\"",
                "{\"rules\": [01]}",
                "{\"rules\": [1.]}",
                "{\"rules\": [tru]}",
                "{\"rules\": [\"a\u0007\"]}",
                "{\"rules\": [\"\\x\"]}",
                "{\"rules\": [\"\\u12\"]}",
                "{\"rules\": []} []",
                "{\"rules\": [\"",
                "{\"rules\"",
                "[",
            })
    void refusesWhatIsNeitherJsonNorYaml(String text) {
        assertThat(errors(text)).hasSize(1);
    }

    @Test
    void readsYamlThatBeginsLikeJson() {
        assertThat(only("{ rules: [ { id: a, limits: [ { rate: 5/s } ] } ] } # all")
                        .id())
                .isEqualTo("a");
    }

    @Test
    void readsOneRuleAlone() {
        RuleDocument document = RuleDocument.parseRule("f", "{\"id\": \"a\", \"limits\": [{\"rate\": 5}]}");

        assertThat(((Accepted) document).rules()).extracting(Rule::id).containsExactly("a");
        assertThat(RuleDocument.parseRule("f", "[]")).isInstanceOf(Refused.class);
        assertThat(RuleDocument.parseRule("f", "")).isInstanceOf(Refused.class);
    }

    @Test
    void readsSeveralDocumentsAsOneSetAndRefusesIdsThatAreInTwoOfThem() {
        Text first = new Text("a.yaml", "rules: [{ id: a, limits: [{ rate: 1 }] }]");
        Text second = new Text("b.yaml", "rules:\n- { id: b, limits: [{ rate: 1 }] }");
        Text third = new Text("c.yaml", "rules:\n- { id: a, limits: [{ rate: x }] }\n- b");

        assertThat(((Accepted) RuleDocument.parseAll(List.of(first, second))).rules())
                .extracting(Rule::id)
                .containsExactly("a", "b");
        assertThat(((Refused) RuleDocument.parseAll(List.of(first, second, third))).errors())
                .extracting(DocumentError::toString)
                .containsExactly(
                        "c.yaml:2:9: id: a (expected: another id; a.yaml, line 1 has this one)",
                        "c.yaml:2:29: rate: x (expected: a rate such as 50/s, 5/m, 100/h or 1000/d, or a whole number per second)",
                        "c.yaml:3:3: rule: b (expected: a mapping)");
    }

    private static Rule only(String text) {
        RuleDocument document = RuleDocument.parse("f", text);
        assertThat(document).isInstanceOf(Accepted.class);
        return ((Accepted) document).rules().get(0);
    }

    private static List<String> errors(String text) {
        RuleDocument document = RuleDocument.parse("f", text);
        assertThat(document).isInstanceOf(Refused.class);
        return ((Refused) document)
                .errors().stream().map(DocumentError::toString).toList();
    }
}
