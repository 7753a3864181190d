package io.sluice.center.govern.reply;

import io.sluice.center.approval.Emergency;
import io.sluice.center.approval.Protection;
import io.sluice.center.http.ReplyTime;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An action that one person took without waiting for approval.
 *
 * @param kind {@code release}, {@code rollback}, {@code switch} or {@code override}
 * @param subject the version, or the id of the switch or override
 * @param state {@code waiting}, {@code ended}, {@code accepted} or {@code rejected}
 * @param why the reasons why it needed approval, as sentences
 * @param endsAt the time when it is undone unless it is accepted
 * @param undoneBy the version that undid it
 */
public record EmergencyReply(
        long id,
        String kind,
        long subject,
        @Nullable Long change,
        String state,
        List<String> rules,
        List<String> why,
        String actor,
        String reason,
        Instant at,
        Instant endsAt,
        @Nullable Instant closedAt,
        @Nullable String closedBy,
        @Nullable String closeReason,
        @Nullable Long undoneBy) {

    public static EmergencyReply of(Emergency emergency) {
        boolean closed = emergency.closedAt() != 0;
        return new EmergencyReply(
                emergency.id(),
                emergency.kind().word(),
                emergency.subject(),
                VersionReply.orNull(emergency.change()),
                emergency.state().word(),
                emergency.why().stream().map(Protection.Reason::rule).distinct().toList(),
                emergency.why().stream().map(Protection.Reason::sentence).toList(),
                emergency.actor(),
                emergency.reason(),
                Instant.ofEpochMilli(emergency.at()),
                Instant.ofEpochMilli(emergency.endsAt()),
                ReplyTime.of(emergency.closedAt()),
                closed ? emergency.closedBy() : null,
                closed ? emergency.closeReason() : null,
                VersionReply.orNull(emergency.undoneBy()));
    }
}
