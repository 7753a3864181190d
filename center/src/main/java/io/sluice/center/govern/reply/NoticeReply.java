package io.sluice.center.govern.reply;

import io.sluice.center.approval.Emergency;
import io.sluice.center.approval.Protection;
import io.sluice.center.approval.SettingsProposal;
import io.sluice.center.change.Changes.Reviewed;
import java.time.Instant;
import java.util.stream.Collectors;

/**
 * A notice that an item waits for the person who asks.
 *
 * @param kind {@code change}, {@code approval_settings} or {@code emergency}
 * @param id the id of the item
 * @param by the author of the item
 * @param text the description of the item
 * @param path the path of the item in the API
 */
public record NoticeReply(String kind, long id, String by, String text, Instant at, String path) {

    public static NoticeReply of(Reviewed reviewed) {
        return new NoticeReply(
                "change",
                reviewed.change().id(),
                reviewed.change().author(),
                reviewed.change().title() + ": "
                        + reviewed.standing().why().stream()
                                .map(Protection.Reason::sentence)
                                .distinct()
                                .collect(Collectors.joining("; ")),
                Instant.ofEpochMilli(reviewed.change().changedAt()),
                "/api/changes/" + reviewed.change().id());
    }

    public static NoticeReply of(SettingsProposal proposal) {
        return new NoticeReply(
                "approval_settings",
                proposal.id(),
                proposal.actor(),
                proposal.reason(),
                Instant.ofEpochMilli(proposal.at()),
                "/api/approval-settings");
    }

    public static NoticeReply of(Emergency emergency) {
        return new NoticeReply(
                "emergency",
                emergency.id(),
                emergency.actor(),
                emergency.reason() + ": "
                        + emergency.why().stream()
                                .map(Protection.Reason::sentence)
                                .distinct()
                                .collect(Collectors.joining("; ")),
                Instant.ofEpochMilli(emergency.at()),
                "/api/emergencies");
    }
}
