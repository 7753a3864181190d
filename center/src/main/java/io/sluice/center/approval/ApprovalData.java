package io.sluice.center.approval;

import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.RetentionSettings;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The texts of approvals, proposals and emergencies, and the removal of proposals and emergencies that are closed. */
public final class ApprovalData implements PersonalData, AgingData {

    private static final String ACTIVE_EMERGENCY = "state IN ('waiting', 'ended')";

    @Override
    public List<FreeText> texts() {
        return List.of(
                new FreeText("approval", "id", "remark"),
                new FreeText("settings_proposal", "id", "reason"),
                new FreeText("emergency", "id", "reason"),
                new FreeText("emergency", "id", "close_reason"));
    }

    @Override
    public Set<String> waitingAuthors(JdbcClient client) {
        return new HashSet<>(client.sql("SELECT actor FROM emergency WHERE " + ACTIVE_EMERGENCY
                        + " UNION SELECT actor FROM settings_proposal WHERE state = 'waiting'")
                .query(String.class)
                .list());
    }

    @Override
    public Map<String, Long> remove(JdbcClient client, Age age) {
        long before = age.before(RetentionSettings.CHANGES);
        Map<String, Long> removed = new LinkedHashMap<>();
        removed.put("emergencies", emergencies(client, before));
        removed.put("proposals", proposals(client, before));
        return removed;
    }

    /** Removes the approvals of a subject that is removed. */
    public static void removeApprovals(JdbcClient client, String kind, long subject) {
        client.sql("DELETE FROM approval WHERE kind = ? AND subject = ?")
                .params(kind, subject)
                .update();
    }

    /** Removes the authors of a change that is removed. */
    public static void removeAuthors(JdbcClient client, long change) {
        OldIds.delete(client, "change_author", "change_id", change);
    }

    /**
     * Removes emergencies. An emergency remains while an emergency that started before its end is not reviewed, because that review uses
     * it.
     */
    private static long emergencies(JdbcClient client, long before) {
        List<Long> ids = OldIds.select(
                client,
                "SELECT id FROM emergency WHERE state IN ('accepted', 'rejected') AND closed_at < ? AND closed_at <"
                        + " (SELECT COALESCE(MIN(e.at), " + Long.MAX_VALUE + ") FROM emergency e WHERE e."
                        + ACTIVE_EMERGENCY
                        + ") ORDER BY id",
                before);
        ids.forEach(id -> {
            removeApprovals(client, "emergency", id);
            OldIds.delete(client, "emergency", "id", id);
        });
        return ids.size();
    }

    private static long proposals(JdbcClient client, long before) {
        List<Long> ids = OldIds.select(
                client, "SELECT id FROM settings_proposal WHERE state <> 'waiting' AND at < ? ORDER BY id", before);
        ids.forEach(id -> {
            removeApprovals(client, "settings", id);
            OldIds.delete(client, "settings_proposal", "id", id);
        });
        return ids.size();
    }
}
