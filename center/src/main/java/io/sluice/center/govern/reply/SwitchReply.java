package io.sluice.center.govern.reply;

import io.sluice.center.adjust.Adjustment;
import io.sluice.center.http.ReplyTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A rule, or all rules, that refuse nothing for a limited time.
 *
 * @param rule the id of a rule, or {@code *} for all
 * @param to always {@code shadow}
 * @param active whether it applies
 * @param applied the number of live nodes that have it
 * @param nodes the number of live nodes that take released rules
 */
public record SwitchReply(
        long id,
        String rule,
        String to,
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

    public static SwitchReply of(Adjustment adjustment, int applied, int nodes) {
        boolean ended = adjustment.endedAt() != 0;
        return new SwitchReply(
                adjustment.id(),
                adjustment.rule(),
                "shadow",
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
