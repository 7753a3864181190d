package io.sluice.center.erase;

import io.sluice.center.audit.LoggedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of a search for a subject in the whole database. The search takes long in a large database, so it runs before the
 * transaction that erases. That transaction searches only the rows that were added later. Immutable.
 *
 * @param rows the numbers of audit rows whose content names the subject
 * @param until the newest row that was searched
 * @param left the places that name the subject and cannot be erased, as sentences that do not name it
 */
record Findings(List<Long> rows, long until, List<String> left) {

    /** The kinds of rows that record erasures and pruning. The log cannot be verified without their content. */
    static final Set<String> KEPT = Set.of("erase_subject", "erase_again", "prune_audit");

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int SHOWN = 20;

    static Findings of(JdbcClient client, SubjectText subject) {
        return new Search(client, subject).run();
    }

    /** Returns the rows whose content names the subject, including rows that were written after the search. */
    List<Long> rows(JdbcClient client, SubjectText subject) {
        Search later = new Search(client, subject);
        later.rows(until);
        List<Long> all = new ArrayList<>(rows);
        all.addAll(later.rows);
        return all;
    }

    private static final class Search {

        private final JdbcClient client;
        private final SubjectText subject;
        private final List<Long> rows = new ArrayList<>();
        private final Set<Long> kept = new TreeSet<>();
        private final Set<Long> acted = new TreeSet<>();
        private final List<String> left = new ArrayList<>();
        private long until;

        /** The number of rows that name the subject only as the address of the request. */
        private long sent;

        Search(JdbcClient client, SubjectText subject) {
            this.client = client;
            this.subject = subject;
        }

        Findings run() {
            rows(0);
            versions();
            changes();
            otherAttributes();
            people();
            if (!acted.isEmpty()) {
                left.add(
                        "audit rows " + some(acted) + ": the subject acted in them (the author of a row stays; the rows"
                                + " go with the retention of the audit log)");
            }
            if (sent > 0) {
                left.add("audit rows: " + sent + " came from the subject's address and do not name it otherwise (the"
                        + " address stays, because it tells from where the center was used; the rows go with the"
                        + " retention of the audit log)");
            }
            if (!kept.isEmpty()) {
                left.add("audit rows " + some(kept)
                        + ": they tell what was erased or pruned (their content stays, because the"
                        + " log is verified with it; the rows go with the retention of the audit log)");
            }
            return new Findings(List.copyOf(rows), until, List.copyOf(left));
        }

        private void rows(long above) {
            until = above;
            for (List<LoggedRow> page = LoggedRow.above(client, until);
                    !page.isEmpty();
                    page = LoggedRow.above(client, until)) {
                page.forEach(this::look);
                until = page.get(page.size() - 1).row().number();
            }
        }

        private void look(LoggedRow row) {
            long number = row.row().number();
            if (subject.isIn(row.row().actor())) {
                acted.add(number);
            }
            if (row.isErased()) {
                return;
            }
            if (subject.isIn(row.reason()) || subject.isInJson(row.body())) {
                if (KEPT.contains(row.row().kind())) {
                    kept.add(number);
                } else {
                    rows.add(number);
                }
            } else if (subject.isIn(row.origin())) {
                sent++;
            }
        }

        /** Reports versions that name the subject. Released rules never change, and a digest proves it. */
        private void versions() {
            long inForce = client.sql("SELECT COALESCE(MAX(number), 0) FROM rule_version WHERE trial = 0")
                    .query(Long.class)
                    .single();
            Set<Long> old = new TreeSet<>();
            for (long number : client.sql("SELECT number FROM rule_version ORDER BY number")
                    .query(Long.class)
                    .list()) {
                String document = client.sql("SELECT document FROM rule_version WHERE number = ?")
                        .param(number)
                        .query(String.class)
                        .single();
                if (!subject.isInJson(document)) {
                    continue;
                }
                if (number == inForce) {
                    left.add("rules in force: " + rules(document)
                            + (rules(document).contains(",") ? " name" : " names")
                            + " the subject (release a change without it)");
                } else {
                    old.add(number);
                }
            }
            if (!old.isEmpty()) {
                left.add(
                        "versions " + some(old) + ": their rules name the subject (released rules never change; they go"
                                + " with the retention of versions)");
            }
        }

        /** Names the rules that contain the subject. The id of a rule may be the value itself, so such an id is not repeated. */
        private String rules(String document) {
            List<String> ids = new ArrayList<>();
            for (JsonNode rule : JSON.readTree(document).path("rules")) {
                if (subject.isInJson(rule.toString())) {
                    String id = rule.path("id").asString("");
                    ids.add(subject.isIn(id) ? "a rule whose id is the subject" : id);
                }
            }
            return ids.isEmpty() ? "a rule" : ids.stream().limit(SHOWN).collect(Collectors.joining(", "));
        }

        private void changes() {
            Set<Long> open = new TreeSet<>();
            Set<Long> closed = new TreeSet<>();
            client.sql("SELECT id, state, edits FROM rule_change").query((RowCallbackHandler) row -> {
                if (subject.isInJson(row.getString(3))) {
                    (row.getString(2).equals("open") ? open : closed).add(row.getLong(1));
                }
            });
            if (!open.isEmpty()) {
                left.add("changes " + some(open) + ": their rules name the subject (edit or withdraw them)");
            }
            if (!closed.isEmpty()) {
                left.add("closed changes " + some(closed)
                        + ": their rules name the subject (they go with the retention of changes)");
            }
        }

        /** Reports overrides of the same value of another attribute, which may belong to another subject. */
        private void otherAttributes() {
            Set<Long> overrides = new TreeSet<>();
            for (StoredTexts.OverrideCaller override : StoredTexts.overrides(client)) {
                if (!subject.isCaller(override.attribute(), override.caller()) && subject.isIn(override.caller())) {
                    overrides.add(override.id());
                }
            }
            if (!overrides.isEmpty()) {
                left.add(
                        "overrides " + some(overrides) + ": they name the same value of another attribute (erase it for"
                                + " that attribute too, if it is the same subject)");
            }
        }

        /** Reports accounts and tokens, which belong to users of the center and are not erased. */
        private void people() {
            boolean[] found = new boolean[2];
            client.sql("SELECT name, display_name, email, identity, subject FROM account")
                    .query((RowCallbackHandler) row -> {
                        for (int i = 1; i <= 5; i++) {
                            found[0] |= subject.isIn(row.getString(i));
                        }
                    });
            client.sql("SELECT name, tenant FROM api_token").query((RowCallbackHandler)
                    row -> found[1] |= subject.isIn(row.getString(1)) || subject.isIn(row.getString(2)));
            if (found[0]) {
                left.add("accounts: one is the subject's (an administrator deletes or renames it)");
            }
            if (found[1]) {
                left.add("tokens: the name of one names the subject (revoke it and create another)");
            }
        }

        private static String some(Set<Long> numbers) {
            String shown = numbers.stream().limit(SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
            return numbers.size() > SHOWN ? shown + " and " + (numbers.size() - SHOWN) + " more" : shown;
        }
    }
}
