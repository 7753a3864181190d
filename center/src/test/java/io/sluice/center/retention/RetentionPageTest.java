package io.sluice.center.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.personal.RetentionSettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The list of kinds, the page, and the documentation say the same. */
class RetentionPageTest {

    private static final Path DOCS = Path.of("../docs/reference/retention.md");

    private final List<DataKind> kinds = DataKinds.of(RetentionSettings.DEFAULT, RuleSet.none());

    @Test
    void theDocumentationHasTheSameTable() throws IOException {
        List<String> documented = Files.readAllLines(DOCS).stream()
                .filter(line -> line.startsWith("| `"))
                .filter(line -> line.split("\\|", -1).length == 8)
                .toList();
        assertThat(documented)
                .isEqualTo(kinds.stream().map(RetentionPageTest::line).toList());
    }

    @Test
    void theDocumentationNamesEverySettingWithItsTimes() throws IOException {
        String text = Files.readString(DOCS);
        RetentionSettings.KINDS.forEach((kind, bounds) -> assertThat(text)
                .contains("| `" + kind + "` | " + bounds.usual().toDays() + "d | "
                        + bounds.shortest().toDays() + "d |"));
        assertThat(text).contains("| `backups` | " + RetentionSettings.DEFAULT_BACKUPS + " | 1 |");
    }

    @Test
    void everySettingIsAKind() {
        assertThat(kinds.stream().map(DataKind::id))
                .containsAll(RetentionSettings.KINDS.keySet())
                .contains("backups");
        assertThat(kinds.stream().map(DataKind::id)).doesNotHaveDuplicates();
    }

    @Test
    void thePageHasATitleAndChineseTextsForEveryKindAndNoOther() throws IOException {
        String source = resource("/io/sluice/center/page/retention-texts.js");
        Set<String> ids = new TreeSet<>(kinds.stream().map(DataKind::id).toList());
        assertThat(names(source.substring(source.indexOf("const titles"), source.indexOf("const NOBODY"))))
                .isEqualTo(ids);
        assertThat(names(source.substring(source.indexOf("const chinese"), source.indexOf("const units"))))
                .isEqualTo(ids);
    }

    @Test
    void everyTableIsOfAKind() throws IOException {
        Set<String> tables = new TreeSet<>();
        for (Path file : migrations()) {
            Pattern.compile("CREATE TABLE (\\w+)")
                    .matcher(Files.readString(file))
                    .results()
                    .forEach(found -> tables.add(found.group(1)));
        }
        tables.remove("rollout_with_trials");
        Set<String> ids = new TreeSet<>(kinds.stream().map(DataKind::id).toList());
        ids.add("");
        assertThat(KIND_OF.keySet()).containsAll(tables);
        assertThat(ids).containsAll(KIND_OF.values());
    }

    /** The kind of each table. Nothing for numbers that the center needs to go on, which name nobody. */
    private static final Map<String, String> KIND_OF = Map.ofEntries(
            Map.entry("counter", ""),
            Map.entry("leadership", ""),
            Map.entry("audit_head", "audit_tree"),
            Map.entry("audit_node", "audit_tree"),
            Map.entry("audit_checkpoint", "audit_tree"),
            Map.entry("audit_key", "audit_tree"),
            Map.entry("audit_segment", "audit_tree"),
            Map.entry("command", "audit"),
            Map.entry("rule_version", "versions"),
            Map.entry("rollout", "versions"),
            Map.entry("rule_change", "changes"),
            Map.entry("change_author", "changes"),
            Map.entry("approval", "changes"),
            Map.entry("approval_settings", ""),
            Map.entry("settings_proposal", "changes"),
            Map.entry("emergency", "changes"),
            Map.entry("node_report", "nodes"),
            Map.entry("adjustment", "adjustments"),
            Map.entry("account", "accounts"),
            Map.entry("passkey", "accounts"),
            Map.entry("passkey_user", "accounts"),
            Map.entry("confirmation", "accounts"),
            Map.entry("session", "sessions"),
            Map.entry("api_token", "tokens"),
            Map.entry("one_time_link", "links"),
            Map.entry("ceremony", "links"),
            Map.entry("answered_request", "answers"),
            Map.entry("series_block", "series_hours"),
            Map.entry("alert_rule", ""),
            Map.entry("alert", "alerts"),
            Map.entry("alert_silence", "alerts"),
            Map.entry("durable_sum", "durable"),
            Map.entry("durable_restore", "durable"),
            Map.entry("durable_restored", "durable"),
            Map.entry("erasure", "erasures"),
            Map.entry("erasure_answer", "erasures"),
            Map.entry("erasure_key", "erasures"));

    @Test
    void countsStayAsLongAsTheLongestLimitInForce() {
        RuleDocument document = RuleDocument.parse("test", """
                rules:
                  - {id: login, limits: [{by: ip, rate: 5/s}]}
                  - {id: daily, limits: [{by: user, algorithm: fixed_window, limit: 100, window: 1d}]}
                """);
        RuleSet rules = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        DataKind counts = DataKinds.of(RetentionSettings.DEFAULT, rules).stream()
                .filter(kind -> kind.id().equals("counts"))
                .findFirst()
                .orElseThrow();
        assertThat(counts.time()).contains(Duration.ofDays(1));
        assertThat(counts.howLong()).contains("1 day after the last request");
        assertThat(DataKindReply.of(counts).time()).isEqualTo("P1D");
    }

    @Test
    void timesAreWrittenInWords() {
        assertThat(TimeWords.of(Duration.ofDays(730))).isEqualTo("2 years");
        assertThat(TimeWords.of(Duration.ofDays(365))).isEqualTo("1 year");
        assertThat(TimeWords.of(Duration.ofDays(400))).isEqualTo("400 days");
        assertThat(TimeWords.of(Duration.ofHours(1))).isEqualTo("1 hour");
        assertThat(TimeWords.of(Duration.ofSeconds(90))).isEqualTo("90 seconds");
        assertThat(TimeWords.of(Duration.ofMillis(1_500))).isEqualTo("2 seconds");
        assertThat(TimeWords.of(Duration.ZERO)).isEqualTo("0 seconds");
    }

    private static String line(DataKind kind) {
        return "| `" + kind.id() + "` | " + kind.place().word() + " | " + kind.what()
                + (kind.personal() ? "" : " (names nobody)") + " | " + kind.howLong() + " | " + kind.ends() + " | "
                + kind.erased() + " |";
    }

    private static Set<String> names(String text) {
        Set<String> names = new TreeSet<>();
        Pattern.compile("(?m)^  (\\w+): \\[").matcher(text).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    private static List<Path> migrations() throws IOException {
        try (var files = Files.list(Path.of("src/main/resources/io/sluice/center/migrations"))) {
            return new ArrayList<>(files.toList());
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = RetentionPageTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
