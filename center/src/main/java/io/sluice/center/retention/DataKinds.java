package io.sluice.center.retention;

import static io.sluice.center.retention.DataKind.Place.CENTER;
import static io.sluice.center.retention.DataKind.Place.NODE;
import static io.sluice.center.retention.DataKind.Place.OUTSIDE;
import static io.sluice.center.retention.DataKind.Place.REDIS;

import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.people.Sessions;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.retention.DataKind.Place;
import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * All kinds of data that a fleet keeps, with their content and the time for which they are kept. The page for people, the API and
 * {@code docs/reference/retention.md} show this list.
 */
final class DataKinds {

    private static final String FOREVER = "as long as the center exists";
    private static final String NOTHING = "nothing: it names nobody";
    private static final Duration ALERTS = Duration.ofDays(30);
    private static final Duration LINK = Duration.ofDays(1);
    private static final Duration DECISIONS = Duration.ofHours(24);
    private static final Duration SILENT_NODE = Duration.ofHours(1);
    private static final Duration REFUSED_CALLER = Duration.ofDays(1);

    private static final Duration SERIES_SECONDS = Duration.ofHours(1);

    private static final Duration REFUSED_CALLERS = Duration.ofDays(RetentionSettings.REFUSED_CALLERS_DAYS);

    /** The time in which all five attempts become available again, one per minute. */
    private static final Duration ATTEMPTS = Duration.ofMinutes(5);

    private final RetentionSettings settings;
    private final List<DataKind> kinds = new ArrayList<>();

    private DataKinds(RetentionSettings settings) {
        this.settings = settings;
    }

    /**
     * Returns all kinds.
     *
     * @param rules the rules in force, whose limits determine the lifetime of counts
     */
    static List<DataKind> of(RetentionSettings settings, RuleSet rules) {
        DataKinds list = new DataKinds(settings);
        list.center();
        list.alerts();
        list.people();
        list.files();
        list.redis(longest(rules));
        list.nodes();
        list.outside();
        return List.copyOf(list.kinds);
    }

    private void center() {
        chosen(
                RetentionSettings.AUDIT,
                "who did what, when, from which address and why, with sign-ins and refusals",
                "{time}",
                "the center deletes the rows and keeps their hashes, so that the log can still be verified",
                "address, reason and content of rows that name the person; who acted and when stays");
        fixed(
                "audit_tree",
                CENTER,
                "hashes, signed checkpoints and public keys of the audit log",
                FOREVER,
                "never",
                NOTHING);
        chosen(
                RetentionSettings.VERSIONS,
                "released rules with title, reason and author, and how their rollouts went",
                "{time}, and at least the last " + RetentionSettings.VERSIONS_KEPT,
                "the center deletes what is neither in force nor needed to go back",
                "titles and reasons; rules that name the person are listed, and end with a release without them");
        chosen(
                RetentionSettings.CHANGES,
                "changes of rules, approvals and emergencies, with authors and reasons",
                "{time} after they are closed, and as long as their version",
                "the center deletes them; open ones stay",
                "titles, reasons and remarks that name the person");
        chosen(
                RetentionSettings.ADJUSTMENTS,
                "overrides for one caller and emergency switches, with the caller, the author and the reason",
                "{time} after they end",
                "the center deletes them; those in force stay",
                "overrides for the person, also those in force");
        add(
                "nodes",
                CENTER,
                "the last report of each node: name, version, rules, counters of the process",
                false,
                Optional.of(SILENT_NODE),
                "{time} after the last report",
                "the center forgets nodes that are silent",
                NOTHING);
        add(
                "traffic_journal",
                CENTER,
                "counts, refused callers and decisions of the last minutes as nodes sent them, in files; callers as masked text and keyed"
                        + " hash",
                true,
                Optional.empty(),
                "some minutes, until they are in their own files",
                "the center deletes the files every minute",
                "nothing by itself: the files are gone after some minutes");
        add(
                "series_seconds",
                CENTER,
                "how many requests each rule and each node decided, by the second, in files",
                false,
                Optional.of(SERIES_SECONDS),
                "{time}",
                "the center deletes the files every minute",
                NOTHING);
        figures(RetentionSettings.SERIES_MINUTES, "the same figures by the minute, in the database");
        figures(RetentionSettings.SERIES_HOURS, "the same figures by the hour, in the database");
        chosen(
                RetentionSettings.ERASURES,
                "requests to erase, and what each node removed; the person as a keyed hash",
                "{time}; the keyed hash stays",
                "the center deletes answers and reasons",
                "nothing: the person is stored only while nodes are asked, encrypted, and for at most 30 days");
        add(
                "durable",
                CENTER,
                "what nodes charged to durable limits, by caller: an address, a name or a key, or its hash if the limit says so",
                true,
                Optional.of(RetentionSettings.DURABLE),
                "{time} after the end of the day, week, month or year that they count",
                "the center deletes them every hour; backups leave them out",
                "all sums of the person that can be found, when a node does the same");
    }

    private void figures(String kind, String what) {
        add(
                kind,
                CENTER,
                what,
                false,
                Optional.of(settings.of(kind)),
                "{time}",
                "the center deletes them every hour",
                NOTHING);
    }

    private void alerts() {
        add(
                "alerts",
                CENTER,
                "alerts and silences with author and reason; callers as masked text and keyed hash",
                true,
                Optional.of(ALERTS),
                "{time} after they end",
                "the center deletes them every hour; what fires stays",
                "reasons of silences that name the person; masked callers end with their time");
    }

    private void people() {
        chosen(
                RetentionSettings.ACCOUNTS,
                "accounts of people who use the center: name, e-mail, roles, hash of the password, passkeys, encrypted refresh token",
                "while they are enabled, then {time}",
                "the center deletes e-mail, display name, password, passkeys and refresh token of a disabled account; its name stays",
                "nothing by itself: an administrator disables the account");
        chosen(
                RetentionSettings.TOKENS,
                "tokens of programs: name, owner, scopes and a hash of the token",
                "{time} after they were revoked or expired",
                "the center deletes them",
                "nothing by itself: an administrator revokes them");
        add(
                "sessions",
                CENTER,
                "signed-in browsers: account, time, and what was presented; a hash of the cookie",
                true,
                Optional.of(Sessions.LONGEST),
                "at most {time}, and " + TimeWords.of(Sessions.LONGEST_IDLE) + " without use",
                "the center deletes them every minute",
                "nothing by itself: they end when the account is disabled");
        add(
                "links",
                CENTER,
                "one-time links and unfinished sign-ins, as hashes",
                true,
                Optional.of(LINK),
                "at most {time}",
                "the center deletes them every hour",
                "nothing by itself: they end when the account is disabled");
        add(
                "answers",
                CENTER,
                "answers to changes that came with an Idempotency-Key, encrypted with that key",
                true,
                Optional.of(AnsweredRequests.KEPT),
                "{time}, and at most the last " + AnsweredRequests.MAX_KEPT,
                "the center deletes them every hour; backups leave them out",
                "all answers, because only the key tells whom they name");
        add(
                "attempts",
                REDIS,
                "counts of failed sign-ins by name and address; in the center's memory if there is no Redis",
                true,
                Optional.of(ATTEMPTS),
                "about {time} after the last attempt",
                "they expire",
                "nothing: they are gone before anybody could ask");
    }

    private void files() {
        add(
                "refused_callers",
                CENTER,
                "callers that were refused, as masked text and keyed hash, with the limit and how often; files in traffic/callers",
                true,
                Optional.of(REFUSED_CALLERS),
                "{time} by the hour, and up to 3 hours by the minute",
                "the center deletes the files",
                "the person, by the hashes that nodes tell");
        int count = settings.backups();
        add(
                "backups",
                CENTER,
                "copies of the database, made every night and before each migration",
                true,
                Optional.empty(),
                count == 1 ? "the last one" : "the last " + count,
                "the center deletes the oldest file after each new one",
                "nothing: a restored backup is erased again from a list outside of it");
        add(
                "decisions",
                CENTER,
                "a sample of decisions: callers and attributes as masked texts and keyed hashes, with paths and request ids",
                true,
                Optional.of(DECISIONS),
                "{time}, and at most 1 GB",
                "the center deletes the oldest files",
                "all decisions with one of the person's hashes");
        fixed(
                "secrets",
                CENTER,
                "the center's own keys, its administrator's token, its memory of the audit log, and erasures as keyed hashes",
                FOREVER,
                "you delete the data directory",
                NOTHING);
    }

    private void redis(Optional<Duration> longest) {
        add(
                "counts",
                REDIS,
                "counts of limits by caller: an address, a name or a key, or its hash if the limit says so",
                true,
                longest,
                longest.isPresent()
                        ? "at most about {time} after the last request, by the longest limit in force"
                        : "no limits are in force",
                "Redis lets them expire",
                "all counts of the person that can be found; hashed ones of several attributes only if all are known");
        add(
                "redis_rules",
                REDIS,
                "released rules and overrides in force, as nodes read them",
                true,
                Optional.empty(),
                "until the next release or change of overrides",
                "the center replaces them",
                "overrides for the person");
        fixed(
                "redis_nodes",
                REDIS,
                "reports of nodes that have no connection to the center",
                "some seconds after the last report",
                "they expire",
                NOTHING);
    }

    private void nodes() {
        add(
                "node_counts",
                NODE,
                "the same counts and permits leased in advance, in memory",
                true,
                Optional.empty(),
                "as long as in Redis, and until the process ends",
                "the node forgets them",
                "all counts and leases of the person");
        add(
                "node_rules",
                NODE,
                "the last good rules, in the directory of --data",
                true,
                Optional.empty(),
                "until newer rules arrive",
                "the node replaces the file",
                "rules that name the person, with the next release without them");
        add(
                "node_recordings",
                NODE,
                "recordings of decisions, if somebody turned them on; those of --record have callers as masked text and keyed"
                        + " hashes",
                true,
                Optional.empty(),
                "those of --record 7 days and 1 GB, unless the node is configured otherwise; others until you delete them",
                "the node deletes the oldest files of --record; you delete the others",
                "the person's requests, and their keys, which become pseudonyms");
        add(
                "node_callers",
                NODE,
                "who the callers are that the node refused, in memory, so that it can answer questions",
                true,
                Optional.of(REFUSED_CALLER),
                "at most {time} after the last refusal, and the last 10,000",
                "the node forgets them",
                "the person's requests");
        fixed(
                "node_key",
                NODE,
                "the key of the hashes that stand for callers, in the directory of --data",
                "as long as the node exists",
                "you delete the file",
                NOTHING);
        add(
                "node_decisions",
                NODE,
                "the decision log, if its configuration names a directory: callers as masked text and keyed hashes",
                true,
                Optional.empty(),
                "180 days and 2 GB, unless the node is configured otherwise",
                "the node deletes the oldest files",
                "the lines of the person");
        add(
                "node_unsent",
                NODE,
                "decisions that wait for the center or for a disk, in memory, without plain callers",
                true,
                Optional.empty(),
                "some seconds; at most until the process ends",
                "they are sent, or dropped and counted",
                "nothing: what waits is sent; erase the person again after some seconds");
        add(
                "node_durable",
                NODE,
                "what the node charged to durable limits, by caller, in memory and in the directory of --data",
                true,
                Optional.of(RetentionSettings.DURABLE),
                "{time} after the end of the day, week, month or year that they count",
                "the node writes its journal anew without them",
                "all sums of the person that can be found");
        fixed(
                "node_witness",
                NODE,
                "the newest checkpoint that the node has witnessed",
                "as long as the node exists",
                "never",
                NOTHING);
    }

    private void outside() {
        add(
                "logs",
                OUTSIDE,
                "what centers and nodes print: changes of state, no requests and no secrets",
                true,
                Optional.empty(),
                "as you configure where the output goes",
                "you or your log system",
                "nothing: the center does not reach it");
        add(
                "sinks",
                OUTSIDE,
                "rows of the audit log that were sent to files, syslog or Kafka, and decisions that were sent to Kafka",
                true,
                Optional.empty(),
                "as you configure it there",
                "you or that system",
                "nothing: what was sent is not taken back");
        add(
                "exports",
                OUTSIDE,
                "exports of the audit log or of the center, and copies of backups",
                true,
                Optional.empty(),
                "as long as you keep them",
                "you delete the files",
                "nothing: the center does not know them");
        add(
                "database_server",
                OUTSIDE,
                "logs and backups of a MariaDB or MySQL server, and snapshots of Redis",
                true,
                Optional.empty(),
                "as you configure it there",
                "that server",
                "nothing: the center does not reach them");
    }

    /** Adds a kind of the center whose time can be configured. All of these kinds can name people. */
    private void chosen(String id, String what, String howLong, String ends, String erased) {
        add(id, CENTER, what, true, Optional.of(settings.of(id)), howLong, ends, erased);
    }

    /** Adds a kind that names no people. */
    private void fixed(String id, Place place, String what, String howLong, String ends, String erased) {
        add(id, place, what, false, Optional.empty(), howLong, ends, erased);
    }

    private void add(
            String id,
            Place place,
            String what,
            boolean personal,
            Optional<Duration> time,
            String howLong,
            String ends,
            String erased) {
        String words = time.map(length -> howLong.replace("{time}", TimeWords.of(length)))
                .orElse(howLong);
        kinds.add(new DataKind(id, place, what, personal, time, words, ends, erased));
    }

    /** Returns the maximum time for which the count of a caller can remain after its last request; empty without limits. */
    private static Optional<Duration> longest(RuleSet rules) {
        return rules.rules().stream()
                .flatMap(DataKinds::limits)
                .map(limit -> Duration.of(life(limit), ChronoUnit.MICROS))
                .max(Duration::compareTo);
    }

    private static Stream<Limit> limits(Rule rule) {
        return Stream.concat(rule.limits().stream(), rule.candidate().stream()).map(RuleLimit::limit);
    }

    private static long life(Limit limit) {
        // Months and years have different lengths.
        long longer = limit.followsCalendar() ? TimeUnit.DAYS.toMicros(1) : limit.sliceMicros();
        return limit.windowMicros() + longer;
    }
}
