package io.sluice.center.retention;

import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.command.AnsweredRequests;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Rows of the database that are no longer needed, apart from the audit log. A row is removed if it is closed, old enough, and not referred
 * to by a row that remains. Every method runs within a transaction of the caller.
 */
final class OldRows {

    /** The maximum number of rows of a kind that are removed in one transaction. */
    static final int AT_ONCE = 500;

    /** The number of versions that are kept regardless of their age. */
    static final int VERSIONS_KEPT = 200;

    /** The maximum number of hours or days of traffic counts that are removed in one transaction. */
    private static final int BLOCKS_AT_ONCE = 8;

    /** The time for which sums of durable limits are kept after the end of their window. */
    static final Duration DURABLE = Duration.ofDays(1);

    private static final long HOUR_SECONDS = 3_600;

    private static final String ACTIVE_EMERGENCY = "state IN ('waiting', 'ended')";

    private final RetentionSettings settings;

    OldRows(RetentionSettings settings) {
        this.settings = settings;
    }

    /** Removes rows. Returns the number of removed rows by kind, without kinds that had none. */
    Map<String, Long> remove(JdbcClient client, long now) {
        Map<String, Long> removed = new LinkedHashMap<>();
        count(removed, RetentionSettings.ADJUSTMENTS, adjustments(client, before(now, RetentionSettings.ADJUSTMENTS)));
        count(removed, RetentionSettings.TOKENS, tokens(client, before(now, RetentionSettings.TOKENS)));
        long closed = before(now, RetentionSettings.CHANGES);
        count(removed, "emergencies", emergencies(client, closed));
        count(removed, "proposals", proposals(client, closed));
        long released = before(now, RetentionSettings.VERSIONS);
        count(removed, RetentionSettings.VERSIONS, versions(client, released));
        count(removed, "rollouts", rollouts(client, released));
        count(removed, RetentionSettings.CHANGES, changes(client, closed));
        count(removed, RetentionSettings.ACCOUNTS, accounts(client, before(now, RetentionSettings.ACCOUNTS)));
        count(removed, RetentionSettings.ERASURES, erasures(client, before(now, RetentionSettings.ERASURES)));
        return removed;
    }

    /** Removes expired secrets and answers. */
    static void removeExpired(JdbcClient client, long now) {
        client.sql("DELETE FROM one_time_link WHERE expires_at <= ?").param(now).update();
        client.sql("DELETE FROM ceremony WHERE expires_at <= ?").param(now).update();
        AnsweredRequests.removeOld(client, now);
        removeDurable(client, now - DURABLE.toMillis());
    }

    /** Removes sums of durable limits whose window has ended, and the records of restores that no longer have sums. */
    private static void removeDurable(JdbcClient client, long before) {
        client.sql("DELETE FROM durable_sum WHERE window_end < ?")
                .param(1_000L * before)
                .update();
        client.sql("DELETE FROM durable_restored WHERE NOT EXISTS (SELECT 1 FROM durable_sum WHERE durable_sum.ref ="
                        + " durable_restored.ref)")
                .update();
        client.sql("DELETE FROM durable_restore WHERE at < ? AND NOT EXISTS (SELECT 1 FROM durable_restored WHERE"
                        + " durable_restored.store = durable_restore.store)")
                .param(before)
                .update();
    }

    /** Removes traffic counts. The removal is not logged, because the counts name no people. Returns whether there may be more. */
    boolean removeFigures(JdbcClient client, long now) {
        boolean moreMinutes =
                figures(client, "minute", before(now, RetentionSettings.SERIES_MINUTES) / 1_000 - HOUR_SECONDS);
        boolean moreHours =
                figures(client, "hour", before(now, RetentionSettings.SERIES_HOURS) / 1_000 - 24 * HOUR_SECONDS);
        return moreMinutes || moreHours;
    }

    /** Removes blocks of a step. A block of minutes remains until its hour is in a block of hours. */
    private static boolean figures(JdbcClient client, String step, long before) {
        List<Long> starts = client.sql("SELECT DISTINCT start_at FROM series_block WHERE step = ? AND rolled = 1"
                        + " AND start_at < ? ORDER BY start_at LIMIT " + BLOCKS_AT_ONCE)
                .params(step, before)
                .query(Long.class)
                .list();
        starts.forEach(start -> client.sql("DELETE FROM series_block WHERE step = ? AND rolled = 1 AND start_at = ?")
                .params(step, start)
                .update());
        return starts.size() == BLOCKS_AT_ONCE;
    }

    private long before(long now, String kind) {
        Duration time = settings.of(kind);
        return now - time.toMillis();
    }

    private static void count(Map<String, Long> removed, String kind, long rows) {
        if (rows > 0) {
            removed.put(kind, rows);
        }
    }

    private static long adjustments(JdbcClient client, long before) {
        List<Long> ids = ids(
                client,
                "SELECT id FROM adjustment WHERE ended_at > 0 AND ended_at < ? AND NOT EXISTS (SELECT 1 FROM emergency"
                        + " WHERE kind IN ('switch', 'override') AND subject = adjustment.id AND " + ACTIVE_EMERGENCY
                        + ") ORDER BY ended_at, id",
                before);
        ids.forEach(id -> delete(client, "adjustment", "id", id));
        return ids.size();
    }

    /** Removes tokens. A token remains while something that it wrote waits for approval, because its owner may not approve that. */
    private static long tokens(JdbcClient client, long before) {
        Set<String> authors =
                new HashSet<>(client.sql("SELECT a.actor FROM change_author a JOIN rule_change c ON c.id = a.change_id"
                                + " WHERE c.state IN ('open', 'trial') UNION SELECT actor FROM emergency WHERE "
                                + ACTIVE_EMERGENCY
                                + " UNION SELECT actor FROM settings_proposal WHERE state = 'waiting'")
                        .query(String.class)
                        .list());
        List<Long> ids = ids(
                        client,
                        "SELECT id FROM api_token WHERE (revoked_at > 0 AND revoked_at < ?) OR expires_at < ? ORDER BY id",
                        before,
                        before)
                .stream()
                .filter(id -> !authors.contains("token:" + id))
                .toList();
        ids.forEach(id -> delete(client, "api_token", "id", id));
        return ids.size();
    }

    /**
     * Removes emergencies. An emergency remains while an emergency that started before its end is not reviewed, because that review uses
     * it.
     */
    private static long emergencies(JdbcClient client, long before) {
        List<Long> ids = ids(
                client,
                "SELECT id FROM emergency WHERE state IN ('accepted', 'rejected') AND closed_at < ? AND closed_at <"
                        + " (SELECT COALESCE(MIN(e.at), " + Long.MAX_VALUE + ") FROM emergency e WHERE e."
                        + ACTIVE_EMERGENCY
                        + ") ORDER BY id",
                before);
        ids.forEach(id -> {
            approvals(client, "emergency", id);
            delete(client, "emergency", "id", id);
        });
        return ids.size();
    }

    private static long proposals(JdbcClient client, long before) {
        List<Long> ids =
                ids(client, "SELECT id FROM settings_proposal WHERE state <> 'waiting' AND at < ? ORDER BY id", before);
        ids.forEach(id -> {
            approvals(client, "settings", id);
            delete(client, "settings_proposal", "id", id);
        });
        return ids.size();
    }

    /** Removes versions. The newest versions remain, and versions that an open rollout, an unreleased change or an emergency refers to. */
    private static long versions(JdbcClient client, long before) {
        long floor = client.sql("SELECT number FROM rule_version WHERE trial = 0 ORDER BY number DESC LIMIT 1 OFFSET "
                        + (VERSIONS_KEPT - 1))
                .query(Long.class)
                .optional()
                .orElse(0L);
        List<Long> numbers = ids(
                client,
                "SELECT number FROM rule_version v WHERE v.number < ? AND v.released_at < ?"
                        + " AND NOT EXISTS (SELECT 1 FROM rollout r WHERE r.ended_at = 0"
                        + " AND (r.version = v.number OR r.replaces = v.number))"
                        + " AND NOT EXISTS (SELECT 1 FROM rule_change c WHERE c.state <> 'released'"
                        + " AND (c.base = v.number OR c.version = v.number))"
                        + " AND NOT EXISTS (SELECT 1 FROM emergency e WHERE e.before_version = v.number"
                        + " OR (e.subject = v.number AND e.kind IN ('release', 'rollback')))"
                        + " ORDER BY v.number",
                floor,
                before);
        numbers.forEach(number -> delete(client, "rule_version", "number", number));
        return numbers.size();
    }

    /** Removes rollouts whose version has been removed. */
    private static long rollouts(JdbcClient client, long before) {
        List<Long> ids = ids(
                client,
                "SELECT id FROM rollout r WHERE r.ended_at > 0 AND r.ended_at < ?"
                        + " AND NOT EXISTS (SELECT 1 FROM rule_version v WHERE v.number = r.version) ORDER BY r.id",
                before);
        ids.forEach(id -> delete(client, "rollout", "id", id));
        return ids.size();
    }

    /** Removes changes. A released change is removed after its version and rollouts. */
    private static long changes(JdbcClient client, long before) {
        List<Long> ids = ids(
                client,
                "SELECT id FROM rule_change c WHERE c.state IN ('released', 'withdrawn', 'rejected') AND c.changed_at < ?"
                        + " AND NOT EXISTS (SELECT 1 FROM rule_version v WHERE v.change_id = c.id)"
                        + " AND NOT EXISTS (SELECT 1 FROM rollout r WHERE r.change_id = c.id)"
                        + " AND NOT EXISTS (SELECT 1 FROM emergency e WHERE e.change_id = c.id) ORDER BY c.id",
                before);
        ids.forEach(id -> {
            approvals(client, "change", id);
            delete(client, "change_author", "change_id", id);
            delete(client, "rule_change", "id", id);
        });
        return ids.size();
    }

    /** Removes the data of disabled accounts. The name of an account remains: the log names it, and no other account may take it. */
    private static long accounts(JdbcClient client, long before) {
        List<Long> ids = ids(
                client,
                "SELECT id FROM account a WHERE a.disabled_at > 0 AND a.disabled_at < ? AND (a.email <> ''"
                        + " OR a.display_name <> '' OR a.password <> ''"
                        + " OR EXISTS (SELECT 1 FROM passkey p WHERE p.account = a.id)) ORDER BY a.id",
                before);
        ids.forEach(id -> {
            client.sql("UPDATE account SET email = '', display_name = '', password = '', revision = revision + 1"
                            + " WHERE id = ?")
                    .param(id)
                    .update();
            delete(client, "passkey", "account", id);
            delete(client, "passkey_user", "account", id);
            delete(client, "confirmation", "account", id);
        });
        return ids.size();
    }

    /** Removes the answers of ended erasures. The keyed hash remains, so that a restored backup is erased again. */
    private static long erasures(JdbcClient client, long before) {
        List<Long> ids = ids(
                client,
                "SELECT id FROM erasure e WHERE e.state <> 'pending' AND e.ended_at > 0 AND e.ended_at < ?"
                        + " AND (e.reason <> '' OR EXISTS (SELECT 1 FROM erasure_answer a WHERE a.erasure = e.id))"
                        + " ORDER BY e.id",
                before);
        ids.forEach(id -> {
            client.sql("UPDATE erasure SET reason = '', sealed = '' WHERE id = ?")
                    .param(id)
                    .update();
            delete(client, "erasure_answer", "erasure", id);
        });
        return ids.size();
    }

    private static void approvals(JdbcClient client, String kind, long subject) {
        client.sql("DELETE FROM approval WHERE kind = ? AND subject = ?")
                .params(kind, subject)
                .update();
    }

    private static List<Long> ids(JdbcClient client, String select, Object... params) {
        return client.sql(select + " LIMIT " + AT_ONCE)
                .params(params)
                .query(Long.class)
                .list();
    }

    /** Deletes rows of a table. Table and column are names from this class. */
    private static void delete(JdbcClient client, String table, String column, long value) {
        client.sql("DELETE FROM " + table + " WHERE " + column + " = ?")
                .param(value)
                .update();
    }
}
