package io.sluice.center.series;

import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.RetentionSettings;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The removal of traffic counts. */
public final class SeriesData implements AgingData {

    /** The maximum number of hours or days of traffic counts that are removed in one transaction. */
    private static final int BLOCKS_AT_ONCE = 8;

    private static final long HOUR_SECONDS = 3_600;

    @Override
    public boolean removeFigures(JdbcClient client, Age age) {
        boolean moreMinutes =
                remove(client, "minute", age.before(RetentionSettings.SERIES_MINUTES) / 1_000 - HOUR_SECONDS);
        boolean moreHours =
                remove(client, "hour", age.before(RetentionSettings.SERIES_HOURS) / 1_000 - 24 * HOUR_SECONDS);
        return moreMinutes || moreHours;
    }

    /** Removes blocks of a step. A block of minutes remains until its hour is in a block of hours. */
    private static boolean remove(JdbcClient client, String step, long before) {
        List<Long> starts = client.sql("SELECT DISTINCT start_at FROM series_block WHERE step = ? AND rolled = 1"
                        + " AND start_at < ? ORDER BY start_at LIMIT " + BLOCKS_AT_ONCE)
                .params(step, before)
                .query(Long.class)
                .list();
        starts.forEach(start -> client.sql("DELETE FROM series_block WHERE step = ? AND rolled = 1 AND start_at = ?")
                .params(step, start)
                .update());
        return starts.size() == BLOCKS_AT_ONCE;
    }
}
