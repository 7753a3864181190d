package io.sluice.center.erase;

import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.RetentionSettings;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The reasons of erasures, and the removal of answers to erasures that have ended. */
public final class ErasureData implements PersonalData, AgingData {

    @Override
    public List<FreeText> texts() {
        return List.of(new FreeText("erasure", "id", "reason"));
    }

    /** Removes the answers of ended erasures. The keyed hash remains, so that a restored backup is erased again. */
    @Override
    public Map<String, Long> remove(JdbcClient client, Age age) {
        List<Long> ids = OldIds.select(
                client,
                "SELECT id FROM erasure e WHERE e.state <> 'pending' AND e.ended_at > 0 AND e.ended_at < ?"
                        + " AND (e.reason <> '' OR EXISTS (SELECT 1 FROM erasure_answer a WHERE a.erasure = e.id))"
                        + " ORDER BY e.id",
                age.before(RetentionSettings.ERASURES));
        ids.forEach(id -> {
            client.sql("UPDATE erasure SET reason = '', sealed = '' WHERE id = ?")
                    .param(id)
                    .update();
            OldIds.delete(client, "erasure_answer", "erasure", id);
        });
        return Map.of(RetentionSettings.ERASURES, (long) ids.size());
    }
}
