package io.sluice.center.edit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class RuleYamlTest {

    private static final String LOGIN = """
            id: login
            name: Five logins a minute from one address
            service: user-service
            resource: /api/login/{id}/**
            methods: [POST]
            match:
              plan: [free, trial]
            limits:
              - { by: ip, algorithm: sliding_log, limit: 5, window: 1m }
              - { by: [tenant, user], rate: 50/s, burst: 100 }
            overrides:
              - { when: { plan: free }, of: 0, limit: 2 }
            shadow: true
            on_failure: closed
            message:
              en: Please wait a minute.
              zh: 请稍候
            """;

    @Test
    void aRuleReadsAsAPersonWouldWriteIt() {
        assertThat(RuleYaml.rule(rule(LOGIN))).isEqualTo(LOGIN);
    }

    @Test
    void aDocumentOfOneRuleBeginsWithTheRule() {
        assertThat(RuleYaml.document(List.of(rule("id: a\naction: deny\nmatch:\n  ip: 203.0.113.0/24\n"))))
                .isEqualTo("rules:\n  - id: a\n    action: deny\n    match:\n      ip: 203.0.113.0/24\n");
        assertThat(RuleYaml.document(List.of())).isEqualTo("rules: []\n");
    }

    @Test
    void everyExampleIsReadBackAsTheSameRules() throws IOException {
        try (Stream<Path> files = Files.list(root().resolve("examples/rules"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
                if (RuleDocument.parse("x", Files.readString(file)) instanceof RuleDocument.Accepted accepted) {
                    assertThat(rules(RuleYaml.document(accepted.rules())))
                            .as("%s", file)
                            .isEqualTo(accepted.rules());
                    for (Rule rule : accepted.rules()) {
                        assertThat(rule(RuleYaml.rule(rule))).isEqualTo(rule);
                    }
                }
            }
        }
    }

    @Test
    void everyTextIsReadBackAsTheSameText() {
        for (String text : List.of(
                "yes",
                "No",
                "null",
                "~",
                "true",
                "1",
                "1.0",
                "0x1f",
                "0o17",
                "1e3",
                ".5",
                ".inf",
                "-1",
                "+1",
                "1_000",
                "12:30",
                "2027-01-01",
                "2027-01-01T00:00:00Z",
                "a: b",
                "a:b",
                "a #b",
                "#a",
                "- a",
                "-",
                "?",
                "? a",
                "a,b",
                "[a]",
                "{a}",
                "a{b",
                "&a",
                "*a",
                "a*",
                "!a",
                "|",
                ">",
                "'a'",
                "\"a\"",
                "a\"b",
                "a\\b",
                "%a",
                "@a",
                "`a",
                " a",
                "a ",
                "a  b",
                "a:",
                ":a",
                "请稍候",
                "👍",
                "a\u2028b",
                "a\u00a0b",
                "a\u200bb",
                "=",
                "<<",
                "--- a",
                "...",
                "..",
                ".",
                "a\tb",
                "a, b (c)!",
                "it's; fine",
                "y",
                "$a",
                "50/s",
                "1m",
                "/x/{id}/**",
                "é")) {
            for (String template : List.of(
                    "{\"id\":\"a\",\"action\":\"deny\",\"match\":{\"user\":[T,\"b\"],\"header.x\":T}}",
                    "{\"id\":\"a\",\"limits\":[{\"by\":\"ip\",\"limit\":1,\"window\":\"1m\"}],"
                            + "\"overrides\":[{\"when\":{\"user\":T},\"limit\":3}],\"message\":T,\"labels\":{\"k\":T}}")) {
                RuleDocument read = RuleDocument.parseRule(
                        "x", template.replace("T", JsonMapper.shared().writeValueAsString(text)));
                // Some texts are refused wherever they are.
                if (read instanceof RuleDocument.Accepted accepted) {
                    Rule rule = accepted.rules().get(0);
                    String yaml = RuleYaml.rule(rule);
                    assertThat(rule(yaml)).as(yaml).isEqualTo(rule);
                    assertThat(rules(RuleYaml.document(List.of(rule)))).as(yaml).containsExactly(rule);
                }
            }
        }
    }

    @Test
    void aLimitThatDoesNotFitALineBecomesABlock() {
        String names = "attribute-with-a-long-name-".repeat(4);
        Rule rule = rule("id: a\nlimits: [{by: [" + names + "1, " + names + "2], limit: 1, window: 1m}]\n");
        String yaml = RuleYaml.rule(rule);
        assertThat(yaml).contains("limits:\n  - by:\n      - attribute").contains("\n    limit: 1\n");
        assertThat(rule(yaml)).isEqualTo(rule);
    }

    private static Rule rule(String yaml) {
        RuleDocument read = RuleDocument.parseRule("x", yaml);
        assertThat(read).as(yaml).isInstanceOf(RuleDocument.Accepted.class);
        return ((RuleDocument.Accepted) read).rules().get(0);
    }

    private static List<Rule> rules(String yaml) {
        RuleDocument read = RuleDocument.parse("x", yaml);
        assertThat(read).as(yaml).isInstanceOf(RuleDocument.Accepted.class);
        return ((RuleDocument.Accepted) read).rules();
    }

    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(here.resolve("examples"))) {
            here = here.getParent();
        }
        return here;
    }
}
