package io.sluice.center.govern.reply;

import io.sluice.center.adjust.Adjustment;
import io.sluice.center.http.ReplyTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Other numbers for one caller, for a limited time.
 *
 * @param attribute the attribute that identifies the caller; {@code hash} if only the caller's hash is known
 * @param caller the hash of the caller, or the first two characters of its value
 * @param active whether it applies
 * @param applied the number of live nodes that have it
 * @param nodes the number of live nodes that take released rules
 */
public record OverrideReply(
        long id,
        String rule,
        String limit,
        String attribute,
        String caller,
        JsonNode numbers,
        Instant until,
        String reason,
        String actor,
        Instant createdAt,
        boolean active,
        @Nullable Instant endedAt,
        @Nullable String endedBy,
        @Nullable String endReason,
        long revision,
        int applied,
        int nodes) {

    public static OverrideReply of(Adjustment adjustment, int applied, int nodes) {
        boolean ended = adjustment.endedAt() != 0;
        return new OverrideReply(
                adjustment.id(),
                adjustment.rule(),
                adjustment.limit(),
                adjustment.isByHash() ? "hash" : adjustment.attribute(),
                adjustment.masked(),
                JsonMapper.shared().readTree(adjustment.numbers()),
                Instant.ofEpochMilli(adjustment.until()),
                adjustment.reason(),
                adjustment.actor(),
                Instant.ofEpochMilli(adjustment.createdAt()),
                !ended,
                ReplyTime.of(adjustment.endedAt()),
                ended ? adjustment.endedBy() : null,
                ended ? adjustment.endReason() : null,
                adjustment.revision(),
                applied,
                nodes);
    }
}
