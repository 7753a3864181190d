package io.sluice.center.erase;

import io.sluice.center.audit.LoggedRow;
import io.sluice.center.personal.Numbers;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.SubjectText;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;

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

    static Findings of(JdbcClient client, SubjectText subject, List<PersonalData> data) {
        return new Search(client, subject).run(data);
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

        Findings run(List<PersonalData> data) {
            rows(0);
            data.forEach(each -> left.addAll(each.left(client, subject)));
            if (!acted.isEmpty()) {
                left.add("audit rows " + Numbers.some(acted)
                        + ": the subject acted in them (the author of a row stays; the rows"
                        + " go with the retention of the audit log)");
            }
            if (sent > 0) {
                left.add("audit rows: " + sent + " came from the subject's address and do not name it otherwise (the"
                        + " address stays, because it tells from where the center was used; the rows go with the"
                        + " retention of the audit log)");
            }
            if (!kept.isEmpty()) {
                left.add("audit rows " + Numbers.some(kept)
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
    }
}
