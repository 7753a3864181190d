package io.sluice.center.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.CenterData;
import io.sluice.center.command.CommandEntry;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.sql.ResultSetMetaData;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Old rows go, and nothing goes that is in force, open, or needed to go back. */
abstract class OldRowsContract {

    private static final Duration YEARS = Duration.ofDays(800);

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final CommandLog log = new CommandLog(clock);
    private final Map<String, Map<String, Object>> empty = new HashMap<>();
    private Database database;

    /** Returns the URL of a new database. */
    abstract String url();

    @BeforeEach
    void open() throws Exception {
        database = Database.open(url(), data);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void adjustmentsGoAfterTheyEnded() {
        insert("adjustment", Map.of("id", 1, "kind", "override", "caller", "u-17", "ended_at", now()));
        insert("adjustment", Map.of("id", 2, "kind", "override"));
        insert("adjustment", Map.of("id", 3, "kind", "switch", "ended_at", now()));
        insert("emergency", Map.of("id", 1, "kind", "switch", "subject", 3, "state", "ended", "at", now()));
        clock.advance(Duration.ofDays(89));
        assertThat(round()).isEmpty();
        clock.advance(Duration.ofDays(2));
        assertThat(round()).isEqualTo(Map.of("adjustments", 1L));
        assertThat(ids("adjustment")).containsExactly(2L, 3L);
        assertThat(round()).isEmpty();
    }

    @Test
    void everyRoundThatRemovesSomethingIsARowOfTheLog() {
        database.write(client -> {
            for (int i = 1; i <= OldIds.AT_ONCE + 7; i++) {
                insert(client, "adjustment", Map.of("id", i, "kind", "override", "ended_at", now()));
            }
            return true;
        });
        insert("api_token", Map.of("id", 1, "hash", "a", "revoked_at", now(), "expires_at", now() + 1));
        clock.advance(YEARS);
        assertThat(round()).isEqualTo(Map.of("adjustments", (long) OldIds.AT_ONCE, "tokens", 1L));
        assertThat(round()).isEqualTo(Map.of("adjustments", 7L));
        assertThat(round()).isEmpty();
        List<CommandEntry> rows = database.read(client -> log.newest(client, Long.MAX_VALUE, 10));
        assertThat(rows)
                .hasSize(2)
                .allMatch(row -> row.kind().equals("prune") && row.actor().equals("center"));
        assertThat(rows.get(1).body().get("adjustments").asLong()).isEqualTo(OldIds.AT_ONCE);
    }

    @Test
    void figuresOfTrafficGoAfterTheirTimeWithoutARowOfTheLog() {
        long hour = now() / 1_000 / 86_400 * 86_400;
        for (int i = 0; i < 20; i++) {
            insert("series_block", block("minute", hour + i * 3_600L, 1));
            insert("series_block", block("hour", hour + i * 86_400L, 1));
        }
        insert("series_block", block("minute", hour - 3_600, 0));
        clock.advance(Duration.ofDays(2));
        removeFigures();
        // The hour that is not over for two days, and the one that is in no block of hours.
        clock.advance(Duration.ofHours(4));
        removeFigures();
        List<Long> left = starts("minute");
        assertThat(left).startsWith(hour - 3_600);
        assertThat(left.subList(1, left.size())).allMatch(start -> start + 3_600 >= now() / 1_000 - 2 * 86_400);
        assertThat(left).hasSizeLessThan(20);
        assertThat(starts("hour")).hasSize(20);
        clock.advance(Duration.ofDays(375));
        removeFigures();
        assertThat(starts("minute")).containsExactly(hour - 3_600);
        assertThat(starts("hour")).isNotEmpty().allMatch(start -> start + 86_400 >= now() / 1_000 - 365 * 86_400L);
        assertThat(starts("hour")).hasSizeLessThan(12);
    }

    private void removeFigures() {
        OldRows rows = new OldRows(RetentionSettings.DEFAULT, CenterData.aging());
        boolean hasMore = true;
        while (hasMore) {
            hasMore = database.write(client -> rows.removeFigures(client, now()));
        }
        assertThat(round()).isEmpty();
    }

    private static Map<String, Object> block(String step, long start, int rolled) {
        return Map.of(
                "step", step, "start_at", start, "center", "c", "part", 0, "rolled", rolled, "data", new byte[] {1});
    }

    private List<Long> starts(String step) {
        return database.read(client -> client.sql("SELECT start_at FROM series_block WHERE step = ? ORDER BY start_at")
                .param(step)
                .query(Long.class)
                .list());
    }

    @Test
    void tokensGoAfterTheyAreVoidUnlessSomethingOpenWasWrittenWithThem() {
        insert("api_token", Map.of("id", 1, "hash", "a", "expires_at", now() + 1));
        insert("api_token", Map.of("id", 2, "hash", "b", "expires_at", now() + YEARS.toMillis() * 2));
        insert("api_token", Map.of("id", 3, "hash", "c", "expires_at", now() + 1));
        insert(
                "api_token",
                Map.of("id", 4, "hash", "d", "revoked_at", now(), "expires_at", now() + YEARS.toMillis() * 2));
        insert("rule_change", Map.of("id", 1, "state", "open"));
        insert("change_author", Map.of("id", 1, "change_id", 1, "actor", "token:3"));
        clock.advance(YEARS);
        assertThat(round()).isEqualTo(Map.of("tokens", 2L));
        assertThat(ids("api_token")).containsExactly(2L, 3L);
    }

    @Test
    void theNewestVersionsStayHoweverOldTheyAre() {
        release(RetentionSettings.VERSIONS_KEPT + 50);
        // Tried and never promoted.
        insert(
                "rule_version",
                Map.of("number", RetentionSettings.VERSIONS_KEPT + 51, "trial", 1, "released_at", now()));
        clock.advance(Duration.ofDays(729));
        assertThat(round()).isEmpty();
        clock.advance(Duration.ofDays(2));
        assertThat(round()).isEqualTo(Map.of("versions", 50L, "rollouts", 50L, "changes", 50L));
        assertThat(round()).isEmpty();
        assertThat(numbers("rule_version").get(0)).isEqualTo(51);
        assertThat(numbers("rule_version")).hasSize(RetentionSettings.VERSIONS_KEPT + 1);
        assertThat(ids("rollout").get(0)).isEqualTo(51);
        assertThat(ids("rule_change").get(0)).isEqualTo(51);
        assertThat(ids("change_author")).hasSize(RetentionSettings.VERSIONS_KEPT);
        assertThat(ids("approval")).hasSize(RetentionSettings.VERSIONS_KEPT);
    }

    @Test
    void youngVersionsStayHoweverManyThereAre() {
        release(RetentionSettings.VERSIONS_KEPT + 50);
        clock.advance(Duration.ofDays(700));
        assertThat(round()).isEmpty();
    }

    @Test
    void versionsThatSomethingOpenIsAboutStay() {
        release(RetentionSettings.VERSIONS_KEPT + 20);
        insert("rollout", Map.of("id", 901, "version", 2, "replaces", 3, "state", "trial", "started_at", now()));
        insert("rule_change", Map.of("id", 902, "state", "open", "base", 4));
        insert("rule_change", Map.of("id", 903, "state", "trial", "base", 5, "version", 6));
        insert(
                "emergency",
                Map.of(
                        "id",
                        1,
                        "kind",
                        "rollback",
                        "subject",
                        8,
                        "before_version",
                        7,
                        "state",
                        "waiting",
                        "at",
                        now()));
        clock.advance(YEARS);
        assertThat(round().get("versions")).isEqualTo(13);
        assertThat(numbers("rule_version")).startsWith(2L, 3L, 4L, 5L, 6L, 7L, 8L, 21L);
        assertThat(ids("rule_change")).contains(2L, 8L, 902L, 903L).doesNotContain(1L, 9L);
        assertThat(ids("rollout")).contains(2L, 8L, 901L).doesNotContain(1L, 9L);
    }

    @Test
    void closedChangesGoAndOpenOnesStay() {
        insert("rule_change", Map.of("id", 1, "state", "withdrawn", "changed_at", now()));
        insert("rule_change", Map.of("id", 2, "state", "rejected", "changed_at", now()));
        insert("rule_change", Map.of("id", 3, "state", "open", "changed_at", now()));
        insert("rule_change", Map.of("id", 4, "state", "trial", "changed_at", now()));
        insert("rule_change", Map.of("id", 5, "state", "withdrawn", "changed_at", now()));
        insert("rollout", Map.of("id", 1, "change_id", 5, "state", "scheduled"));
        insert("rollout", Map.of("id", 2, "change_id", 1, "state", "cancelled", "ended_at", now()));
        insert("change_author", Map.of("id", 1, "change_id", 1));
        insert("change_author", Map.of("id", 2, "change_id", 3));
        insert("approval", Map.of("id", 1, "kind", "change", "subject", 1));
        insert("approval", Map.of("id", 2, "kind", "change", "subject", 3));
        insert("approval", Map.of("id", 3, "kind", "settings", "subject", 1));
        clock.advance(YEARS);
        assertThat(round()).isEqualTo(Map.of("rollouts", 1L, "changes", 2L));
        assertThat(ids("rule_change")).containsExactly(3L, 4L, 5L);
        assertThat(ids("rollout")).containsExactly(1L);
        assertThat(ids("change_author")).containsExactly(2L);
        assertThat(ids("approval")).containsExactly(2L, 3L);
    }

    @Test
    void reviewedEmergenciesAndDecidedProposalsGo() {
        insert(
                "emergency",
                Map.of("id", 1, "kind", "release", "state", "accepted", "at", now(), "closed_at", now() + 1));
        insert(
                "emergency",
                Map.of("id", 2, "kind", "release", "state", "rejected", "at", now(), "closed_at", now() + 9));
        insert(
                "emergency",
                Map.of("id", 3, "kind", "release", "state", "ended", "at", now() + 5, "closed_at", now() + 8));
        insert("settings_proposal", Map.of("id", 1, "state", "approved", "at", now()));
        insert("settings_proposal", Map.of("id", 2, "state", "waiting", "at", now()));
        insert("approval", Map.of("id", 1, "kind", "emergency", "subject", 1));
        insert("approval", Map.of("id", 2, "kind", "settings", "subject", 1));
        insert("approval", Map.of("id", 3, "kind", "settings", "subject", 2));
        clock.advance(YEARS);
        assertThat(round()).isEqualTo(Map.of("emergencies", 1L, "proposals", 1L));
        // The second held when the third began, and the third is still to be reviewed.
        assertThat(ids("emergency")).containsExactly(2L, 3L);
        assertThat(ids("settings_proposal")).containsExactly(2L);
        assertThat(ids("approval")).containsExactly(3L);
    }

    @Test
    void disabledAccountsKeepTheirNameAlone() {
        insert("account", Map.of("id", 1, "name", "ann", "email", "ann@x", "password", "hash", "disabled_at", now()));
        insert("account", Map.of("id", 2, "name", "bob", "email", "bob@x", "password", "hash"));
        insert("passkey_user", Map.of("account", 1, "handle", "a"));
        insert("passkey_user", Map.of("account", 2, "handle", "b"));
        insert("confirmation", Map.of("account", 1, "refresh_token", "r"));
        insert("confirmation", Map.of("account", 2, "refresh_token", "s"));
        insert("passkey", Map.of("id", 1, "account", 1, "credential_hash", "a"));
        insert("passkey", Map.of("id", 2, "account", 2, "credential_hash", "b"));
        clock.advance(YEARS);
        assertThat(round()).isEqualTo(Map.of("accounts", 1L));
        assertThat(round()).isEmpty();
        assertThat(text("SELECT name FROM account WHERE id = 1")).isEqualTo("ann");
        assertThat(text("SELECT email FROM account WHERE id = 1")).isEmpty();
        assertThat(text("SELECT password FROM account WHERE id = 1")).isEmpty();
        assertThat(text("SELECT email FROM account WHERE id = 2")).isEqualTo("bob@x");
        assertThat(ids("passkey")).containsExactly(2L);
        assertThat(text("SELECT refresh_token FROM confirmation")).isEqualTo("s");
    }

    @Test
    void endedErasuresKeepTheKeyedHashAlone() {
        insert(
                "erasure",
                Map.of(
                        "id",
                        1,
                        "subject_hash",
                        "h",
                        "reason",
                        "asked",
                        "state",
                        "done",
                        "ended_at",
                        now(),
                        "result",
                        "{}"));
        insert("erasure", Map.of("id", 2, "subject_hash", "i", "reason", "asked", "state", "pending", "sealed", "s"));
        insert("erasure_answer", Map.of("id", 1, "erasure", 1, "node", "n1"));
        insert("erasure_answer", Map.of("id", 2, "erasure", 2, "node", "n1"));
        clock.advance(YEARS);
        assertThat(round()).isEqualTo(Map.of("erasures", 1L));
        assertThat(round()).isEmpty();
        assertThat(text("SELECT subject_hash FROM erasure WHERE id = 1")).isEqualTo("h");
        assertThat(text("SELECT reason FROM erasure WHERE id = 1")).isEmpty();
        assertThat(text("SELECT sealed FROM erasure WHERE id = 2")).isEqualTo("s");
        assertThat(ids("erasure_answer")).containsExactly(2L);
    }

    @Test
    void expiredLinksAndCeremoniesGoWithoutARow() {
        insert("one_time_link", Map.of("hash", "a", "expires_at", now() + 1_000));
        insert("one_time_link", Map.of("hash", "b", "expires_at", now() + YEARS.toMillis() * 2));
        insert("ceremony", Map.of("hash", "a", "expires_at", now() + 1_000));
        clock.advance(Duration.ofHours(1));
        assertThat(round()).isEmpty();
        assertThat(text("SELECT COUNT(*) FROM one_time_link")).isEqualTo("1");
        assertThat(text("SELECT COUNT(*) FROM ceremony")).isEqualTo("0");
        assertThat(text("SELECT COUNT(*) FROM command")).isEqualTo("0");
    }

    /** Removes some rows. Returns what the log says about it; nothing if nothing was removed. */
    private Map<String, Long> round() {
        Retention retention = new Retention(
                database,
                log,
                clock,
                RetentionSettings.DEFAULT,
                CenterData.aging(),
                (client, text) -> Optional.empty(),
                Map::of,
                Optional::empty,
                RuleSet::none);
        if (!retention.removeRows()) {
            return Map.of();
        }
        Map<String, Long> counts = new HashMap<>();
        CommandEntry row =
                database.read(client -> log.newest(client, Long.MAX_VALUE, 1)).get(0);
        row.body()
                .properties()
                .forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
        return counts;
    }

    /** Releases versions from 1 to a number, each with a change that was approved. */
    private void release(long newest) {
        database.write(client -> {
            for (long number = 1; number <= newest; number++) {
                release(client, number);
            }
            return true;
        });
    }

    private void release(JdbcClient client, long number) {
        insert(
                client,
                "rule_version",
                Map.of("number", number, "released_at", now(), "change_id", number, "rollout", number));
        insert(
                client,
                "rollout",
                Map.of("id", number, "version", number, "change_id", number, "state", "done", "ended_at", now()));
        insert(
                client,
                "rule_change",
                Map.of("id", number, "state", "released", "base", number - 1, "version", number, "changed_at", now()));
        insert(client, "change_author", Map.of("id", number, "change_id", number));
        insert(client, "approval", Map.of("id", number, "kind", "change", "subject", number));
    }

    private void insert(String table, Map<String, ?> values) {
        database.write(client -> {
            insert(client, table, values);
            return true;
        });
    }

    /** Inserts a row. Columns that are not named are empty or zero. */
    private void insert(JdbcClient client, String table, Map<String, ?> values) {
        Map<String, Object> row = new LinkedHashMap<>(empty.computeIfAbsent(table, name -> empty(client, name)));
        row.putAll(values);
        var unused = client.sql("INSERT INTO " + table + " (" + String.join(", ", row.keySet()) + ") VALUES ("
                        + String.join(", ", Collections.nCopies(row.size(), "?")) + ")")
                .params(new ArrayList<>(row.values()))
                .update();
    }

    private static Map<String, Object> empty(JdbcClient client, String table) {
        return client.sql("SELECT * FROM " + table + " WHERE 1 = 0").query(result -> {
            Map<String, Object> row = new LinkedHashMap<>();
            ResultSetMetaData columns = result.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                boolean isNumber = columns.getColumnTypeName(i).equalsIgnoreCase("BIGINT")
                        || columns.getColumnType(i) == Types.BIGINT;
                row.put(columns.getColumnName(i), isNumber ? (Object) 0 : "");
            }
            return row;
        });
    }

    private List<Long> ids(String table) {
        return column(table, "id");
    }

    private List<Long> numbers(String table) {
        return column(table, "number");
    }

    private List<Long> column(String table, String column) {
        return database.read(client -> client.sql("SELECT " + column + " FROM " + table + " ORDER BY " + column)
                .query(Long.class)
                .list());
    }

    private String text(String select) {
        return database.read(client -> client.sql(select).query(String.class).single());
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
