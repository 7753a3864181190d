package io.sluice.center.version;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The table of released versions. Version 0 has no rules and is in force until the first release. Thread-safe. */
public final class Versions {

    private static final int KEPT_IN_MEMORY = 8;
    private static final int ALL = 100;

    private static final String COLUMNS =
            "number, digest, rules, released_at, actor, title, reason, change_id, content_of, rollout, trial";

    /** The sets of rules that were read last. Stored versions are immutable, so a set that was read once remains valid. */
    private final Map<Long, RuleSet> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, RuleSet> eldest) {
            return size() > KEPT_IN_MEMORY;
        }
    };

    /** Returns the number of the version in force. */
    public long latest(JdbcClient client) {
        return client.sql("SELECT COALESCE(MAX(number), 0) FROM rule_version WHERE trial = 0")
                .query(Long.class)
                .single();
    }

    /** Returns the highest number of a version in force or on trial. */
    public long highest(JdbcClient client) {
        return client.sql("SELECT COALESCE(MAX(number), 0) FROM rule_version")
                .query(Long.class)
                .single();
    }

    /** Returns the version that was in force before another one; 0 if there was none. */
    public long before(JdbcClient client, long number) {
        return client.sql("SELECT COALESCE(MAX(number), 0) FROM rule_version WHERE trial = 0 AND number < ?")
                .param(number)
                .query(Long.class)
                .single();
    }

    /** Puts a version that was on trial in force. */
    public void promote(JdbcClient client, long number) {
        client.sql("UPDATE rule_version SET trial = 0 WHERE number = ?")
                .param(number)
                .update();
    }

    /** Returns the rules in force. */
    public RuleSet latestRules(JdbcClient client) {
        return rules(client, latest(client)).orElseThrow();
    }

    /** Returns the rules of a version. */
    public Optional<RuleSet> rules(JdbcClient client, long number) {
        if (number == 0) {
            return Optional.of(RuleSet.none());
        }
        synchronized (known) {
            RuleSet set = known.get(number);
            if (set != null) {
                return Optional.of(set);
            }
        }
        Optional<RuleSet> read = client.sql("SELECT document FROM rule_version WHERE number = ?")
                .param(number)
                .query(String.class)
                .optional()
                .map(document -> parse(number, document));
        // A writing transaction may read its own version, which may never be stored; its number is then used again.
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            read.ifPresent(set -> {
                synchronized (known) {
                    known.put(number, set);
                }
            });
        }
        return read;
    }

    /** Returns one rule of a version. This is much cheaper than reading all rules of a version that is not in memory. */
    public Optional<Rule> rule(JdbcClient client, long number, String id) {
        synchronized (known) {
            RuleSet set = known.get(number);
            if (set != null) {
                return set.rule(id);
            }
        }
        return client.sql("SELECT document FROM rule_version WHERE number = ?")
                .param(number)
                .query(String.class)
                .optional()
                .flatMap(document -> RuleSetText.rule(document, id));
    }

    public Optional<Version> find(JdbcClient client, long number) {
        return client.sql("SELECT " + COLUMNS + " FROM rule_version WHERE number = ?")
                .param(number)
                .query(Versions::row)
                .optional();
    }

    /** Returns versions below a number, newest first. */
    public List<Version> list(JdbcClient client, long below, int most) {
        return client.sql(
                        "SELECT " + COLUMNS + " FROM rule_version WHERE number < ? ORDER BY number DESC LIMIT " + most)
                .param(below)
                .query(Versions::row)
                .list();
    }

    /** Adds a version. Fails if its number exists. */
    public void add(JdbcClient client, Version version, RuleSet rules) {
        client.sql("INSERT INTO rule_version (" + COLUMNS + ", document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        version.number(),
                        version.digest(),
                        version.rules(),
                        version.releasedAt(),
                        version.actor(),
                        version.title(),
                        version.reason(),
                        version.changeId(),
                        version.contentOf(),
                        version.rollout(),
                        version.trial() ? 1 : 0,
                        text(rules))
                .update();
    }

    /** Returns the stored text. It contains its version and digest, so that damage is noticed. */
    private static String text(RuleSet rules) {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(rules.releasedTo(ALL), text::append);
        return text.toString();
    }

    private static RuleSet parse(long number, String text) {
        Reading reading = RuleSetText.read("version " + number, text.getBytes(StandardCharsets.UTF_8));
        if (reading instanceof Reading.Found found) {
            return found.rules();
        }
        throw new IllegalStateException("version " + number + " cannot be read: "
                + ((Reading.Unusable) reading).errors().get(0));
    }

    private static Version row(ResultSet row, int index) throws SQLException {
        return new Version(
                row.getLong(1),
                row.getString(2),
                row.getLong(3),
                row.getLong(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getLong(8),
                row.getLong(9),
                row.getLong(10),
                row.getLong(11) != 0);
    }
}
