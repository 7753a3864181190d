package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice replay --suggest}. */
final class SuggestTest {

    private static final String LINE = "%s - - [17/Nov/2026:22:%02d:%02d +0000] \"POST /api/login HTTP/1.1\" 200 1%n";

    @TempDir
    Path folder;

    private Path rules;
    private Path log;

    /** Twenty addresses send 3 requests a minute, and one sends 30. */
    @BeforeEach
    void write() throws IOException {
        rules = Files.writeString(folder.resolve("rules.yaml"), """
                rules:
                  - id: login
                    name: Logins of an address
                    resource: /api/login
                    limits:
                      - { by: ip, algorithm: fixed_window, limit: 5, window: 1m }
                  - id: other
                    resource: /api/orders
                    limits: [{ rate: 5/s }]
                """);
        StringBuilder lines = new StringBuilder();
        for (int minute = 0; minute < 5; minute++) {
            for (int second = 0; second < 60; second++) {
                if (second % 20 == 7) {
                    for (int caller = 0; caller < 20; caller++) {
                        lines.append(String.format(LINE, "198.51.100." + caller, minute, second));
                    }
                }
                if (second % 2 == 0) {
                    lines.append(String.format(LINE, "203.0.113.7", minute, second));
                }
            }
        }
        log = Files.writeString(folder.resolve("access.log"), lines.toString());
    }

    private CommandRun suggest(Object... more) {
        List<Object> arguments = new ArrayList<>(List.of("replay", "--rules", rules, "--suggest"));
        arguments.addAll(List.of(more));
        return CommandRun.of(arguments.toArray());
    }

    @Test
    void printsNumbersTheirCallersAndTheRules() {
        CommandRun run = suggest("--refuse-callers", "5%", log).good();
        assertThat(run.out())
                .contains("Each limit refuses at most 5 % of the callers; headroom 25 %.")
                .containsPattern("login.0 +5 per 1m +3 per 1m +4 per 1m +130 +1")
                .containsPattern("login.0 +450 +21 +198.51.100.\\* \\(3\\).* +203.0.113.\\* \\(30\\)")
                .containsPattern("other.0 +5/s +- +stays: no request matches +0 +0")
                .contains("320 allowed, 130 refused (28.9 %)", "Today's numbers refuse 125 of them.")
                .contains("- { by: ip, algorithm: fixed_window, limit: 4, window: 1m }")
                .contains(
                        "  # login.0: 4 per 1m instead of 5 per 1m: 450 requests of 21 callers need 3 per 1m; the rest is headroom.");
        assertThat(run.err()).contains("sluice: " + log + ": read as common");
    }

    @Test
    void saysWhoAloneSetsANumber() {
        assertThat(suggest(log).good().out())
                .contains("at most 0.1 % of the callers")
                .containsPattern("login.0 +5 per 1m +30 per 1m +38 per 1m +0 +0")
                .contains("! login.0: 1 of 21 callers needs 30 or more, the others at most 3."
                        + " --refuse-callers 4.77% leaves it out.");
    }

    @Test
    void theDocumentPassesLintAndItsReplayHasTheSameFigures() throws IOException {
        Path out = folder.resolve("suggested.yaml");
        CommandRun run = suggest("--refuse-requests", "10%", "--headroom", "0%", "--out", out, log)
                .good();
        assertThat(run.out()).doesNotContain("rules:").contains("405 allowed, 45 refused");
        assertThat(run.err()).contains("sluice: the rules are in " + out);
        assertThat(CommandRun.of("lint", "--strict", out).good().out()).contains("no errors, 2 rules");
        assertThat(CommandRun.of("replay", "--rules", out, log).good().out()).contains("405 allowed, 45 refused");
    }

    @Test
    void jsonHasTheSameFacts() throws IOException {
        CommandRun run = suggest("--json", "--refuse-callers", "5%", log).good();
        JsonNode json = new ObjectMapper().readTree(run.out());
        JsonNode limit = json.get("limits").get(0);
        assertThat(limit.get("today").get("limit").asLong()).isEqualTo(5);
        assertThat(limit.get("needed").get("limit").asLong()).isEqualTo(3);
        assertThat(limit.get("suggested").get("limit").asLong()).isEqualTo(4);
        assertThat(limit.get("refused").asLong()).isEqualTo(130);
        assertThat(limit.get("callers_refused").asLong()).isEqualTo(1);
        assertThat(limit.get("left_out").get(0).get("needs").asLong()).isEqualTo(30);
        assertThat(limit.get("kept").isNull()).isTrue();
        assertThat(json.get("goal").get("callers").asDouble()).isEqualTo(0.05);
        assertThat(json.get("document").asText()).contains("limit: 4");
        assertThat(json.get("replay").get("refused").asLong()).isEqualTo(130);
    }

    @Test
    void aPageShowsTheReplayOfTheSuggestion() throws IOException {
        Path page = folder.resolve("page.html");
        suggest("--refuse-callers", "5%", "--html", page, log).good();
        assertThat(Files.readString(page)).startsWith("<!doctype html>").contains("130");
    }

    @Test
    void thePageOfTheDocsShowsWhatIsReallyPrinted() throws IOException {
        Path root = Path.of("..");
        CommandRun run = CommandRun.of(
                        "replay",
                        "--rules",
                        root.resolve("examples/rules/sample.yaml"),
                        "--attr",
                        "service=user-service",
                        "--suggest",
                        "--refuse-callers",
                        "10%",
                        "--out",
                        folder.resolve("suggested.yaml"),
                        root.resolve("examples/replay/access.log"))
                .good();
        assertThat(Files.readString(root.resolve("docs/how-to/replay.md"))).contains("```text\n" + run.out() + "```");
    }

    @Test
    void attributesOfOnesOwnStayDeclared() throws IOException {
        Path own = Files.writeString(
                folder.resolve("own.yaml"),
                "attributes: [colour]\nrules:\n  - { id: a, match: { colour: red }, limits: [{ by: ip, limit: 5, window: 1m }] }\n");
        Path out = folder.resolve("suggested.yaml");
        CommandRun.of("replay", "--rules", own, "--suggest", "--attr", "colour=red", "--out", out, log)
                .good();
        assertThat(CommandRun.of("lint", "--strict", out).good().out()).contains("no errors, 1 rule");
        assertThat(Files.readString(out)).contains("limit: 42");
    }

    @Test
    void refusesBadUsage() {
        assertThat(suggest("-").code()).isEqualTo(2);
        assertThat(suggest("-").err()).contains("LOG: - (expected: files, because --suggest reads them several times)");
        assertThat(suggest("--refuse-callers", "0.1", log).err())
                .contains("--refuse-callers: 0.1 (expected: a percentage from 0% to 100%, such as 0.1%)");
        assertThat(suggest("--headroom", "-5%", log).code()).isEqualTo(2);
        assertThat(suggest("--span", "0s", log).code()).isEqualTo(2);
        assertThat(suggest("--against", rules, log).err())
                .contains("--against: together with --suggest (expected: one of them)");
        assertThat(suggest(folder.resolve("none.log")).err()).contains("no such file (expected: an access log)");
        assertThat(suggest("--out", folder.resolve("none/rules.yaml"), log).err())
                .contains("--out: cannot write");
        for (String option : List.of("--refuse-callers", "--refuse-requests", "--headroom", "--span", "--out")) {
            assertThat(CommandRun.of("replay", "--rules", rules, option, "1%", log))
                    .satisfies(run -> assertThat(run.code()).isEqualTo(2))
                    .satisfies(run -> assertThat(run.err())
                            .contains(option + ": without --suggest (expected: both, or none of them)"));
        }
    }
}
