package io.sluice.center.retention;

import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.RetentionSettings;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Rows of the database that are no longer needed, apart from the audit log. Every method runs within a transaction of the caller. */
final class OldRows {

    private final RetentionSettings settings;
    private final List<AgingData> data;

    OldRows(RetentionSettings settings, List<AgingData> data) {
        this.settings = settings;
        this.data = List.copyOf(data);
    }

    /** Removes rows. Returns the number of removed rows by kind, without kinds that had none. */
    Map<String, Long> remove(JdbcClient client, long now) {
        Set<String> waiting = new HashSet<>();
        data.forEach(each -> waiting.addAll(each.waitingAuthors(client)));
        Age age = new Age(now, settings, waiting);
        Map<String, Long> removed = new LinkedHashMap<>();
        data.forEach(each -> removed.putAll(each.remove(client, age)));
        removed.values().removeIf(rows -> rows == 0);
        return removed;
    }

    /** Removes expired secrets and answers. */
    void removeExpired(JdbcClient client, long now) {
        AnsweredRequests.removeOld(client, now);
        data.forEach(each -> each.removeExpired(client, now));
    }

    /** Removes traffic counts. Returns whether there may be more. */
    boolean removeFigures(JdbcClient client, long now) {
        Age age = new Age(now, settings, Set.of());
        boolean hasMore = false;
        for (AgingData each : data) {
            hasMore |= each.removeFigures(client, age);
        }
        return hasMore;
    }
}
