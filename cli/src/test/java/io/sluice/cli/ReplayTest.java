package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice replay}. */
final class ReplayTest {

    @TempDir
    Path folder;

    private Path rules;
    private Path log;

    @BeforeEach
    void write() throws IOException {
        rules = Files.writeString(
                folder.resolve("rules.yaml"),
                "rules:\n  - { id: login, service: users, resource: /api/login, limits: [{ by: ip, limit: 5, window: 1m }] }\n");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            lines.append(line(i));
        }
        log = Files.writeString(folder.resolve("access.log"), lines + "garbage\n");
    }

    @Test
    void printsTablesAndSaysHowTheLogWasRead() {
        CommandRun run = CommandRun.of("replay", "--rules", rules, "--attr", "service=users", log)
                .good();
        assertThat(run.out())
                .contains(
                        "8 requests from 2026-11-17 22:41:00 to 2026-11-17 22:41:07 UTC: 5 allowed, 3 refused (37.5 %)")
                .containsPattern("login +8 +5 +3 +1 +1 +2026-11-17 22:41 +2026-11-17 22:41 \\(3\\)")
                .contains("login.0", "5 per 1m", "1 line could not be read");
        assertThat(run.err())
                .contains("sluice: " + log + ": read as common")
                .contains(log + ":9:")
                .doesNotContain("\u001b");
    }

    @Test
    void printsJsonAlone() throws IOException {
        CommandRun run = CommandRun.of("replay", "--rules", rules, "--attr", "service=users", "--json", log)
                .good();
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.get("requests").asLong()).isEqualTo(8);
        assertThat(json.get("unreadable").asLong()).isEqualTo(1);
        assertThat(json.get("rules").get(0).get("refused").asLong()).isEqualTo(3);
    }

    @Test
    void writesAPage() throws IOException {
        Path page = folder.resolve("report.html");
        CommandRun.of("replay", "--rules", rules, "--attr", "service=users", "--html", page, log)
                .good();
        assertThat(Files.readString(page)).startsWith("<!doctype html>").contains("login", "203.0.113.*");
    }

    @Test
    void comparesWithOtherRules() throws IOException {
        Path other = Files.writeString(
                folder.resolve("other.yaml"), Files.readString(rules).replace("limit: 5", "limit: 7"));
        CommandRun run = CommandRun.of("replay", "--rules", rules, "--against", other, "--attr", "service=users", log)
                .good();
        assertThat(run.out())
                .contains("Compared with the other rules: 2 requests are newly refused, 0 newly allowed")
                .containsPattern("login +2 +0");
    }

    @Test
    void saysWhatTheLogLacks() {
        CommandRun run = CommandRun.of("replay", "--rules", rules, log).good();
        assertThat(run.out())
                .contains("No request has these attributes, which rules name: service.")
                .contains("Never matched: login.");
    }

    @Test
    void readsAnyFieldAsAnAttribute() throws IOException {
        Path json = Files.writeString(
                folder.resolve("events.json"),
                "{\"at\": 1794955293, \"http\": {\"route\": \"/api/login\"}, \"peer\": \"203.0.113.7\"}\n".repeat(6));
        CommandRun run = CommandRun.of(
                        "replay",
                        "--rules",
                        rules,
                        "--format",
                        "jsonl",
                        "--time",
                        "at",
                        "--field",
                        "path=$.http.route",
                        "--field",
                        "ip=peer",
                        "--attr",
                        "service=users",
                        json)
                .good();
        assertThat(run.out()).contains("5 allowed, 1 refused");
    }

    @Test
    void refusesBadUsage() throws IOException {
        assertThat(CommandRun.of("replay", "--rules", rules, folder.resolve("none.log")))
                .satisfies(run -> assertThat(run.code()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err()).contains("none.log: no such file (expected: an access log)"));
        assertThat(CommandRun.of("replay", "--rules", rules, "--format", "apache", log)
                        .code())
                .isEqualTo(2);
        assertThat(CommandRun.of("replay", "--rules", rules, "--max-keys", "0", log)
                        .code())
                .isEqualTo(2);
        assertThat(CommandRun.of("replay", "--rules", rules, folder).code()).isEqualTo(2);
        assertThat(CommandRun.of("replay", "--rules", rules).code()).isEqualTo(2);
        Path unknown = Files.writeString(folder.resolve("notes.txt"), "nothing like\na log\n");
        assertThat(CommandRun.of("replay", "--rules", rules, unknown))
                .satisfies(run -> assertThat(run.code()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err()).contains("notes.txt:1:1: the format is unknown"));
        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "rules:\n  - { id: a, limts: [] }\n");
        assertThat(CommandRun.of("replay", "--rules", wrong, log).code()).isEqualTo(1);
    }

    @Test
    void readsTheRecordingsInADirectory() throws IOException {
        Path node = Files.createDirectories(folder.resolve("recordings/node-1"));
        for (int file = 1; file <= 7; file++) {
            Files.writeString(
                    node.resolve("recording-20261117T224100Z-300e00fb-00000" + file + ".requests.jsonl"),
                    "{\"timestamp\":\"2026-11-17T22:41:0" + file
                            + "Z\",\"service\":\"users\",\"resource\":\"/api/login\",\"method\":\"POST\","
                            + "\"dimensions\":{\"ip\":\"203.0.113.*\"},\"hashes\":{\"ip\":\"9VdqX\"},\"decision\":\"allowed\",\"permits\":1,\"rule_version\":1}\n");
        }
        Files.writeString(node.resolve("recording-20261117T224100Z-300e00fb-000001.history"), "not for a replay\n");
        CommandRun run = CommandRun.of("replay", "--rules", rules, folder.resolve("recordings"));
        assertThat(run.out()).contains("7 requests").contains("5 allowed, 2 refused");
        assertThat(run.err()).contains("2 more: read as sluice").doesNotContain("history");
    }

    @Test
    void refusesADirectoryWithoutRecordings() throws IOException {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        CommandRun run = CommandRun.of("replay", "--rules", rules, empty);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(empty + ": a directory without recordings (expected: one of node --record");
    }

    private static String line(int second) {
        return String.format(
                "203.0.113.7 - - [17/Nov/2026:22:41:%02d +0000] \"POST /api/login HTTP/1.1\" 200 1%n", second);
    }
}
