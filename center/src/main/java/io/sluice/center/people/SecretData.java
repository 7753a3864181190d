package io.sluice.center.people;

import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.RetentionSettings;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The removal of tokens that are no longer valid, of links and of unfinished sign-ins. */
public final class SecretData implements AgingData {

    /** Removes tokens. A token remains while something that it wrote waits for approval, because its owner may not approve that. */
    @Override
    public Map<String, Long> remove(JdbcClient client, Age age) {
        long before = age.before(RetentionSettings.TOKENS);
        List<Long> ids = OldIds.select(
                        client,
                        "SELECT id FROM api_token WHERE (revoked_at > 0 AND revoked_at < ?) OR expires_at < ? ORDER BY id",
                        before,
                        before)
                .stream()
                .filter(id -> !age.waitingAuthors().contains("token:" + id))
                .toList();
        ids.forEach(id -> OldIds.delete(client, "api_token", "id", id));
        return Map.of(RetentionSettings.TOKENS, (long) ids.size());
    }

    @Override
    public void removeExpired(JdbcClient client, long now) {
        client.sql("DELETE FROM one_time_link WHERE expires_at <= ?").param(now).update();
        client.sql("DELETE FROM ceremony WHERE expires_at <= ?").param(now).update();
    }
}
