package io.sluice.center.erase;

import io.sluice.center.audit.AuditSeal;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.command.Actor;
import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.personal.SubjectText;
import io.sluice.center.refusal.RefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Removes a subject from the center's own database. Every method runs within a transaction of the caller. */
final class Eraser {

    private static final String SUBJECT_HASH = "subject_hash";

    /** The maximum number of audit rows and texts in one erasure. */
    private static final int MOST_FOUND = 1_000;

    private final CommandLog log;
    private final ErasureKey key;
    private final AuditSeal seal;
    private final StoredTexts stored;

    /**
     * Creates an eraser.
     *
     * @param seal signs that audit rows lost their content; without the key of the log, they keep it
     * @param stored the texts of all concepts
     */
    Eraser(CommandLog log, ErasureKey key, AuditSeal seal, StoredTexts stored) {
        this.log = log;
        this.key = key;
        this.seal = seal;
        this.stored = stored;
    }

    /**
     * Waits for all other transactions that change data. Every change takes a number of the log, so from here on this transaction
     * sees all earlier changes, and later ones wait for it. Must be the first statement of a transaction.
     */
    static void waitForOthers(JdbcClient client) {
        client.sql("UPDATE counter SET value = value WHERE name = 'command'").update();
    }

    /**
     * Removes a subject whose value is known, and logs the erasure.
     *
     * @throws RefusedException if audit rows name the subject and the key of the log is missing
     */
    Removal erase(
            JdbcClient client,
            Actor actor,
            long id,
            String reason,
            SubjectText subject,
            Caller caller,
            Findings found) {
        List<Removal.Row> rows = stored(client, found.rows(client, subject));
        Optional<AuditSeal.Stamp> stamp = stamp(client, id, rows);
        if (stamp.isEmpty() && !rows.isEmpty()) {
            throw RefusedException.conflict(
                    "audit rows name the subject, and only the key of the audit log may sign that" + " they are emptied"
                            + why());
        }
        StoredTexts.ErasedCallers callers = stored.eraseCallers(client, nobody(id), subject::isCaller);
        List<Removal.Text> texts = texts(stored.erase(client, place -> subject.isIn(place.text())));
        requireFew(rows.size(), texts.size());
        Removal removal = new Removal(
                counts(callers, rows.size(), texts.size()),
                found.left(),
                rows,
                texts,
                List.of(),
                List.of(),
                callers.waiting());
        finish(client, actor, new Command.Act("erase_subject", reason, details(id, caller, removal, stamp)), removal);
        return removal;
    }

    /** Refuses a value that is found too often, because a common word would empty the log. */
    private static void requireFew(int rows, int texts) {
        if (rows + texts > MOST_FOUND) {
            throw RefusedException.conflict("value: " + rows + " audit rows and " + texts
                    + " texts name it, so it seems to be a common word (expected: at most " + MOST_FOUND
                    + " together; choose a more specific value)");
        }
    }

    /** The erased subject as it appears in the log. */
    record Caller(String attribute, String hash) {}

    /**
     * Repeats an earlier erasure in a database that does not know of it. Only hashes are available. So callers are found by their
     * hashes, and rows and texts by the hashes of their words, or by their places if their content is unchanged.
     *
     * @param named the numbers of the rows that name the subject
     */
    Removal eraseAgain(JdbcClient client, ErasureList.Entry entry, List<Long> named, WordHashes words) {
        List<Long> numbers = new ArrayList<>(named);
        entry.rows().forEach(row -> numbers.add(row.number()));
        List<Removal.Row> present = stored(client, numbers).stream()
                .filter(row -> named.contains(row.number()) || entry.rows().contains(row))
                .toList();
        Optional<AuditSeal.Stamp> stamp = stamp(client, entry.id(), present);
        List<Removal.Row> rows = stamp.isPresent() ? present : List.of();
        StoredTexts.ErasedCallers callers =
                stored.eraseCallers(client, nobody(entry.id()), (attribute, value) -> isOf(entry, attribute, value));
        List<Removal.Text> texts = texts(
                stored.erase(client, place -> entry.texts().contains(text(place)) || words.isIn(place.text(), entry)));
        Removal removal = new Removal(
                counts(callers, rows.size(), texts.size()),
                present.equals(rows) ? List.of() : List.of(kept(present)),
                rows,
                texts,
                List.of(),
                List.of(),
                callers.waiting());
        if (!removal.isNothing()) {
            Caller caller = new Caller(entry.attribute(), entry.subject());
            finish(
                    client,
                    Actor.CENTER,
                    new Command.Act(
                            "erase_again",
                            "the database does not know of this erasure; it seems to be restored from a backup",
                            details(entry.id(), caller, removal, stamp)),
                    removal);
        }
        return removal;
    }

    private boolean isOf(ErasureList.Entry entry, String attribute, String caller) {
        return attribute.isEmpty()
                ? entry.hashes().contains(key.hashedCaller(caller))
                : key.caller(attribute, caller).equals(entry.subject());
    }

    /**
     * Removes overrides by the hashes under which a node knows the subject, and empties audit rows that record a reveal of one of
     * these hashes. Returns the updated removal; empty if there is no change.
     */
    Optional<Removal> eraseHashes(JdbcClient client, Erasure erasure, String node, List<String> hashes) {
        StoredTexts.ErasedCallers callers = stored.eraseCallers(
                client, nobody(erasure.id()), (attribute, value) -> attribute.isEmpty() && hashes.contains(value));
        List<Removal.Row> reveals = stored(client, reveals(client, hashes));
        Optional<AuditSeal.Stamp> stamp = stamp(client, erasure.id(), reveals);
        Removal found = new Removal(
                counts(callers, stamp.isPresent() ? reveals.size() : 0, 0),
                stamp.isPresent() || reveals.isEmpty() ? List.of() : List.of(kept(reveals)),
                stamp.isPresent() ? reveals : List.of(),
                List.of(),
                hashes.stream().map(key::hashedCaller).toList(),
                List.of(),
                List.of());
        Removal known = erasure.removal();
        Removal next = known.with(found);
        if (next.equals(known)) {
            return Optional.empty();
        }
        if (!found.isNothing()) {
            Caller caller = new Caller(erasure.attribute(), erasure.subject());
            Map<String, Object> details = details(erasure.id(), caller, found, stamp);
            details.put("node", node);
            finish(
                    client,
                    Actor.CENTER,
                    new Command.Act("erase_subject", "found by the hash of a node", details),
                    found);
        }
        return Optional.of(next);
    }

    /** Returns the numbers of the rows that record a reveal of a caller with one of these hashes. */
    private static List<Long> reveals(JdbcClient client, List<String> hashes) {
        return client
                .sql("SELECT number, body FROM command WHERE kind = 'reveal' AND erased_by = 0")
                .query((row, index) -> Map.entry(row.getLong(1), row.getString(2)))
                .list()
                .stream()
                .filter(row -> hashes.stream().anyMatch(row.getValue()::contains))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Erases the subject from trials that have ended. */
    Removal eraseTrials(JdbcClient client, Erasure erasure) {
        StoredTexts.ErasedCallers named =
                stored.eraseTrials(client, nobody(erasure.id()), (attribute, value) -> key.caller(attribute, value)
                        .equals(erasure.subject()));
        if (named.count() > 0) {
            Map<String, Object> details = new HashMap<>();
            details.put("erasure", erasure.id());
            details.put("attribute", erasure.attribute());
            details.put(SUBJECT_HASH, erasure.subject());
            details.put("removed", Map.of(Removal.TRIAL_CALLERS, named.count()));
            details.put("rows", List.of());
            long unused =
                    log.add(client, Actor.CENTER, new Command.Act("erase_subject", "the trial has ended", details));
        }
        return erasure.removal().with(named);
    }

    /** Logs the erasure and empties the rows that it lists. */
    private void finish(JdbcClient client, Actor actor, Command.Act command, Removal removal) {
        long number = log.add(client, actor, command);
        removal.rows().forEach(row -> client.sql("UPDATE command SET salt = '', origin = '', reason = '', body = '',"
                        + " erased_by = ? WHERE number = ? AND erased_by = 0")
                .params(number, row.number())
                .update());
        AnsweredRequests.eraseAnswers(client);
    }

    /** Signs that rows lose their content; empty if there are no rows or if this center cannot sign. */
    private Optional<AuditSeal.Stamp> stamp(JdbcClient client, long id, List<Removal.Row> rows) {
        List<Long> numbers = rows.stream().map(Removal.Row::number).toList();
        return rows.isEmpty()
                ? Optional.empty()
                : seal.sign(client, AuditSeal.erased(AuditTables.log(client), id, numbers));
    }

    private String kept(List<Removal.Row> rows) {
        return "audit rows: " + rows.size()
                + " keep the content that was erased before, because only the key of the audit"
                + " log may sign that they are emptied" + why() + " (bring the key back and erase the subject again)";
    }

    private String why() {
        return seal.problem().map(problem -> "; " + problem).orElse("");
    }

    private static Map<String, Object> details(
            long id, Caller caller, Removal removal, Optional<AuditSeal.Stamp> stamp) {
        Map<String, Object> details = new HashMap<>();
        details.put("erasure", id);
        details.put("attribute", caller.attribute());
        details.put(SUBJECT_HASH, caller.hash());
        details.put("removed", removal.removed());
        details.put("rows", removal.rows().stream().map(Removal.Row::number).toList());
        stamp.ifPresent(signed -> details.putAll(signed.fields()));
        return details;
    }

    /** Returns the rows that still exist with their content, together with their leaves. */
    private static List<Removal.Row> stored(JdbcClient client, List<Long> numbers) {
        List<Removal.Row> rows = new ArrayList<>();
        for (long number : new TreeSet<>(numbers)) {
            client.sql("SELECT hash FROM command WHERE number = ? AND erased_by = 0")
                    .param(number)
                    .query(String.class)
                    .optional()
                    .ifPresent(hash -> rows.add(new Removal.Row(number, hash)));
        }
        return rows;
    }

    private List<Removal.Text> texts(List<StoredTexts.Place> places) {
        return places.stream().map(this::text).toList();
    }

    private Removal.Text text(StoredTexts.Place place) {
        return new Removal.Text(
                place.table(),
                place.id(),
                place.column(),
                key.text(place.table(), place.id(), place.column(), place.text()));
    }

    private static Map<String, Long> counts(StoredTexts.ErasedCallers callers, long rows, long texts) {
        Map<String, Long> counts = new HashMap<>(callers.counts());
        counts.put(Removal.AUDIT_ROWS, rows);
        counts.put(Removal.TEXTS, texts);
        return counts;
    }

    /** Returns a value that belongs to no caller. */
    private static String nobody(long id) {
        return "erased-" + id;
    }
}
