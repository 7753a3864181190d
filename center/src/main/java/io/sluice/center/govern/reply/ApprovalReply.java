package io.sluice.center.govern.reply;

import io.sluice.center.approval.Protection;
import io.sluice.center.approval.Standing;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The approvals of a change.
 *
 * @param required whether other people have to approve it
 * @param needed the number of people who have to approve it
 * @param why the reasons, as sentences
 * @param given all approvals, oldest first, including approvals that no longer hold
 */
public record ApprovalReply(boolean required, long needed, List<String> why, List<Given> given) {

    /**
     * An approval.
     *
     * @param holds whether it counts
     * @param voidBecause the reason why it does not count
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
