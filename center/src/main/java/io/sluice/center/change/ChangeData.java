package io.sluice.center.change;

import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.Numbers;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.SubjectText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The texts and the authors of changes. */
public final class ChangeData implements PersonalData, AgingData {

    @Override
    public List<FreeText> texts() {
        return List.of(new FreeText("rule_change", "id", "title"), new FreeText("rule_change", "id", "reason"));
    }

    @Override
    public List<String> left(JdbcClient client, SubjectText subject) {
        Set<Long> open = new TreeSet<>();
        Set<Long> closed = new TreeSet<>();
        client.sql("SELECT id, state, edits FROM rule_change").query((RowCallbackHandler) row -> {
            if (subject.isInJson(row.getString(3))) {
                (row.getString(2).equals("open") ? open : closed).add(row.getLong(1));
            }
        });
        List<String> left = new ArrayList<>();
        if (!open.isEmpty()) {
            left.add("changes " + Numbers.some(open) + ": their rules name the subject (edit or withdraw them)");
        }
        if (!closed.isEmpty()) {
            left.add("closed changes " + Numbers.some(closed)
                    + ": their rules name the subject (they go with the retention of changes)");
        }
        return left;
    }

    @Override
    public Set<String> waitingAuthors(JdbcClient client) {
        return new HashSet<>(client.sql("SELECT a.actor FROM change_author a JOIN rule_change c ON c.id = a.change_id"
                        + " WHERE c.state IN ('open', 'trial')")
                .query(String.class)
                .list());
    }
}
