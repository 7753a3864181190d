package io.sluice.center.alert;

import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.Clock;
import io.sluice.rules.yaml.PrintableText;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Changes alert rules and silences. Each change is a row of the audit log. Thread-safe. */
final class AlertBook {

    private static final long MOST_ADDED = 200;
    private static final int MOST_SILENCES = 500;
    private static final Duration LONGEST_SILENCE = Duration.ofDays(30);

    private final Database database;
    private final CommandLog log;
    private final Clock clock;
    private final AlertRuleTable rules = new AlertRuleTable();
    private final SilenceTable silences = new SilenceTable();
    private final AlertTable alerts = new AlertTable();

    AlertBook(Database database, CommandLog log, Clock clock) {
        this.database = database;
        this.log = log;
        this.clock = clock;
    }

    List<AlertRule> rules() {
        return database.read(rules::all);
    }

    /** Returns the silences that have not ended, newest first. */
    List<Silence> silences() {
        return database.read(client -> silences.active(client, now()));
    }

    /**
     * Changes a rule, or adds one.
     *
     * @param revision the revision of the rule that the caller has seen; 0 for a rule that was never changed, and for a new rule
     * @param body the fields to change; a new rule needs a kind
     */
    AlertRule put(Actor actor, String id, long revision, JsonNode body, String reason) {
        String why = Changes.reason(reason);
        return database.write(client -> {
            AlertRule before = rules.find(client, id).orElseGet(() -> added(client, id, body));
            requireKind(before.kind(), body);
            requireRevision(before, revision);
            AlertRule after = AlertRuleText.with(before, body).named(id, before.revision() + 1);
            rules.put(client, after);
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("rule", id);
            details.put("before", AlertRuleText.fields(before));
            details.put("after", AlertRuleText.fields(after));
            long unused = log.add(client, actor, new Command.Act("change_alert_rule", why, details));
            return after;
        });
    }

    /** Removes a rule that was added, or resets one that is built in. */
    AlertRule remove(Actor actor, String id, String reason) {
        String why = Changes.reason(reason);
        return database.write(client -> {
            AlertRule before = rules.find(client, id).orElseThrow(() -> missing(id));
            rules.remove(client, before);
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("rule", id);
            details.put("before", AlertRuleText.fields(before));
            long unused = log.add(client, actor, new Command.Act("remove_alert_rule", why, details));
            return before;
        });
    }

    private AlertRule added(JdbcClient client, String id, JsonNode body) {
        JsonNode word = body.get("kind");
        if (!AlertRuleText.isId(id)) {
            throw RefusedException.invalid(
                    "id: not usable (expected: at most 64 lower-case letters, digits, - or _, such as login-refusals)");
        }
        AlertKind kind = AlertKind.find(word == null ? "" : word.asString(""))
                .orElseThrow(() -> word == null
                        ? missing(id)
                        : RefusedException.invalid("kind: unknown (expected: such as refusal_share)"));
        if (rules.added(client) >= MOST_ADDED) {
            throw RefusedException.conflict("there are " + MOST_ADDED + " own alert rules (expected: fewer)");
        }
        return AlertRule.builtIn(kind).named(id, 0);
    }

    private static void requireKind(AlertKind kind, JsonNode body) {
        JsonNode word = body.get("kind");
        if (word != null && !word.asString("").equals(kind.word())) {
            throw RefusedException.invalid("kind: another one (expected: " + kind.word() + ", or another id)");
        }
    }

    private static void requireRevision(AlertRule rule, long revision) {
        if (rule.revision() != revision) {
            throw RefusedException.conflict(
                    "revision: " + revision + " (expected: " + rule.revision() + "; somebody else changed the rule)",
                    Map.of("revision", rule.revision()));
        }
    }

    private static RefusedException missing(String id) {
        return RefusedException.missing("alert rule " + PrintableText.text(id)
                + ": unknown (expected: one of GET /api/alerts/rules; a new one" + " needs its kind)");
    }

    /**
     * The scope of a silence. Exactly one of the fields is given.
     *
     * @param alert the id of an alert; 0 for another scope
     */
    record Wish(String kind, String rule, long alert) {

        Wish {
            if ((kind.isEmpty() ? 0 : 1) + (rule.isEmpty() ? 0 : 1) + (alert == 0 ? 0 : 1) != 1) {
                throw RefusedException.invalid(
                        "kind, rule, alert: not exactly one of them (expected: such as {\"kind\": \"drift\"})");
            }
        }
    }

    Silence silence(Actor actor, Wish wish, Instant until, String reason) {
        String why = Changes.reason(reason);
        long now = now();
        if (until.isAfter(Instant.ofEpochMilli(now).plus(LONGEST_SILENCE)) || until.toEpochMilli() <= now) {
            throw RefusedException.invalid("until: not usable (expected: a time within the next 30 days)");
        }
        return database.write(client -> {
            if (silences.active(client, now).size() >= MOST_SILENCES) {
                throw RefusedException.conflict("there are " + MOST_SILENCES + " silences (expected: fewer)");
            }
            Silence silence = silences.add(client, silence(client, wish, why, actor, now, until.toEpochMilli()));
            Map<String, Object> details = new LinkedHashMap<>(described(silence));
            details.put("until", until.toString());
            long unused = log.add(client, actor, new Command.Act("silence_alerts", why, details));
            return silence;
        });
    }

    private Silence silence(JdbcClient client, Wish wish, String reason, Actor actor, long now, long until) {
        if (!wish.kind().isEmpty() && AlertKind.find(wish.kind()).isEmpty()) {
            throw RefusedException.invalid("kind: unknown (expected: such as drift)");
        }
        if (!wish.rule().isEmpty() && rules.find(client, wish.rule()).isEmpty()) {
            throw RefusedException.invalid("rule: unknown (expected: one of GET /api/alerts/rules)");
        }
        if (wish.alert() == 0) {
            return new Silence(0, wish.kind(), wish.rule(), "", "", reason, actor.name(), now, until);
        }
        Alert alert = alerts.find(client, wish.alert())
                .orElseThrow(() -> RefusedException.invalid("alert: unknown (expected: one of GET /api/alerts)"));
        return new Silence(
                0,
                "",
                alert.rule(),
                alert.symptom().key(),
                alert.symptom().subject(),
                reason,
                actor.name(),
                now,
                until);
    }

    /** Ends a silence before its time. */
    Silence end(Actor actor, long id, String reason) {
        String why = Changes.reason(reason);
        long now = now();
        return database.write(client -> {
            Silence silence = silences.find(client, id)
                    .filter(each -> each.until() > now)
                    .orElseThrow(() -> RefusedException.missing(
                            "silence " + id + ": unknown or over (expected: one of GET /api/alerts/silences)"));
            silences.end(client, silence);
            long unused = log.add(client, actor, new Command.Act("end_silence", why, described(silence)));
            return silence.until(now);
        });
    }

    /** The subject can be a caller, which is masked and hashed; the log contains neither form. */
    private static Map<String, Object> described(Silence silence) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("silence", silence.id());
        details.put("kind", silence.kind());
        details.put("rule", silence.rule());
        details.put("one_subject", !silence.key().isEmpty());
        return details;
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
