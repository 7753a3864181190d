package io.sluice.replay.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.replay.log.LogFormat;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.run.Replay;
import io.sluice.replay.run.ReplayResult;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class ReplayReportTest {

    private static final String RULES = """
            rules:
              - { id: a, name: '<script>alert(1)</script>', limits: [{ by: user, limit: 2, window: 1m }] }
              - { id: unused, resource: /nowhere, limits: [{ rate: 1/s }] }
            """;

    private static final String LOG = "time,ip,user,path\n"
            + "2026-11-17T22:41:33Z,203.0.113.7,\"<b>x\",/a\n".repeat(3)
            + "nonsense\n"
            + "2026-11-17T22:41:35.5Z,203.0.113.7,<i>secret,/a\n".repeat(4);

    @Test
    void jsonHasTheFieldsOfTheContract() throws IOException {
        JsonNode json = new ObjectMapper().readTree(ReplayJson.of(result(LOG)));
        assertThat(json.get("requests").asLong()).isEqualTo(7);
        assertThat(json.get("unreadable").asLong()).isEqualTo(1);
        assertThat(json.get("from").asText()).isEqualTo("2026-11-17T22:41:33Z");
        assertThat(json.get("to").asText()).isEqualTo("2026-11-17T22:41:35.500Z");
        JsonNode rule = json.get("rules").get(0);
        assertThat(rule.get("rule").asText()).isEqualTo("a");
        assertThat(rule.get("matched").asLong()).isEqualTo(7);
        assertThat(rule.get("allowed").asLong()).isEqualTo(4);
        assertThat(rule.get("refused").asLong()).isEqualTo(3);
        assertThat(rule.get("callers_refused").asLong()).isEqualTo(2);
        assertThat(rule.get("limits").get(0).get("id").asText()).isEqualTo("a.0");
        assertThat(rule.get("limits").get(0).get("refused").asLong()).isEqualTo(3);
        assertThat(rule.get("top_callers").get(0).get("caller").asText()).isEqualTo("<****et");
        assertThat(json.get("rules").get(1).get("never_matched").asBoolean()).isTrue();
        assertThat(json.get("exact").asBoolean()).isTrue();
    }

    @Test
    void jsonOfALogWithoutRequestsHasNoTimes() throws IOException {
        JsonNode json = new ObjectMapper().readTree(ReplayJson.of(result("time,path\n")));
        assertThat(json.get("requests").asLong()).isZero();
        assertThat(json.get("from").isNull()).isTrue();
        assertThat(json.get("rules")).hasSize(2);
    }

    @Test
    void thePageNeedsNothingElseAndRunsNothing() throws IOException {
        String page = ReplayPage.of(result(LOG), "rules.yaml");
        Set<String> tags = new TreeSet<>();
        Matcher tag = Pattern.compile("<([a-zA-Z0-9]+)").matcher(page);
        while (tag.find()) {
            tags.add(tag.group(1));
        }
        assertThat(tags).contains("table", "h1").doesNotContain("script", "link", "img", "iframe", "b");
        assertThat(page)
                .contains("<svg", "prefers-color-scheme: dark", "default-src 'none'", "&lt;script&gt;", "&lt;****et")
                .doesNotContain("http://", "https://", "<script", "url(", "secret", "<i>s");
    }

    @Test
    void findingsNameTheUnreadableAndTheUnmatched() throws IOException {
        assertThat(Findings.of(result(LOG))).containsExactly("1 line could not be read.", "Never matched: unused.");
    }

    private static ReplayResult result(String log) throws IOException {
        RuleDocument.Accepted accepted = (RuleDocument.Accepted) RuleDocument.parse("rules.yaml", RULES);
        Replay replay = new Replay(new RuleSet(1, accepted.rules()), null, 1_000);
        LogInput input = LogInput.once("log", new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)));
        LogOptions options =
                new LogOptions(Optional.of(LogFormat.of("csv")), Map.of(), Map.of(), replay.attributes(), 1 << 20);
        try (LogReader reader = LogReader.open(List.of(input), options)) {
            return replay.run(reader, (requests, any) -> {});
        }
    }
}
