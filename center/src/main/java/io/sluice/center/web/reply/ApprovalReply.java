package io.sluice.center.web.reply;

import io.sluice.center.approval.Protection;
import io.sluice.center.approval.Standing;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The approvals of a change.
 *
 * @param required whether other persons have to approve it
 * @param needed how many
 * @param why sentences
 * @param given oldest first, with those that no longer hold
 */
public record ApprovalReply(boolean required, long needed, List<String> why, List<Given> given) {

    /**
     * An approval.
     *
     * @param holds whether it counts
     * @param voidBecause why it does not
     */
    public record Given(
            String by,
            String comment,
            Instant at,
            Instant expiresAt,
            boolean holds,
            @Nullable String voidBecause) {

        static Given of(Standing.Given given) {
            return new Given(
                    given.by(),
                    given.comment(),
                    Instant.ofEpochMilli(given.at()),
                    Instant.ofEpochMilli(given.expiresAt()),
                    given.holds(),
                    given.voidBecause().orElse(null));
        }
    }

    static ApprovalReply of(Standing standing) {
        return new ApprovalReply(
                standing.isRequired(),
                standing.needed(),
                standing.why().stream()
                        .map(Protection.Reason::sentence)
                        .distinct()
                        .toList(),
                standing.given().stream().map(Given::of).toList());
    }
}
