package io.sluice.center.durable;

import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.RetentionSettings;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The removal of sums of durable limits whose window has ended, and of records of restores that no longer have sums. */
public final class DurableData implements AgingData {

    @Override
    public void removeExpired(JdbcClient client, long now) {
        long before = now - RetentionSettings.DURABLE.toMillis();
        client.sql("DELETE FROM durable_sum WHERE window_end < ?")
                .param(1_000L * before)
                .update();
        client.sql("DELETE FROM durable_restored WHERE NOT EXISTS (SELECT 1 FROM durable_sum WHERE durable_sum.ref ="
                        + " durable_restored.ref)")
                .update();
        client.sql("DELETE FROM durable_restore WHERE at < ? AND NOT EXISTS (SELECT 1 FROM durable_restored WHERE"
                        + " durable_restored.store = durable_restore.store)")
                .param(before)
                .update();
    }
}
