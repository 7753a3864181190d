package io.sluice.center.govern.reply;

import io.sluice.center.approval.ApprovalSettings;
import io.sluice.center.approval.SettingsBook;
import io.sluice.center.approval.SettingsProposal;
import io.sluice.rules.yaml.Spans;
import java.time.Instant;
import java.util.List;

/**
 * The settings for approvals.
 *
 * @param revision the number of the settings, which rises with each change
 * @param approvals how many different people have to approve, not counting the author
 * @param expires how long an approval holds
 * @param emergency how long an action without approval holds
 * @param raise the multiple of a protected limit's numbers up to which an override needs no second person
 * @param proposals the proposals that wait for approval, newest first
 */
public record ApprovalSettingsReply(
        long revision, long approvals, String expires, String emergency, Double raise, List<Proposal> proposals) {

    private static final double PERCENT = 100;

    /** Proposed settings that wait for approval. */
    public record Proposal(
            long id,
            long base,
            long approvals,
            String expires,
            String emergency,
            Double raise,
            String reason,
            String author,
            Instant at) {

        static Proposal of(SettingsProposal proposal) {
            ApprovalSettings settings = proposal.settings();
            return new Proposal(
                    proposal.id(),
                    settings.revision(),
                    settings.approvals(),
                    Spans.text(settings.expires()),
                    Spans.text(settings.emergency()),
                    settings.raisePercent() / PERCENT,
                    proposal.reason(),
                    proposal.actor(),
                    Instant.ofEpochMilli(proposal.at()));
        }
    }

    /** Returns the same settings for a caller of one tenant, because the reasons of proposals can name any rule. */
    public ApprovalSettingsReply withoutProposals() {
        return new ApprovalSettingsReply(revision, approvals, expires, emergency, raise, List.of());
    }

    public static ApprovalSettingsReply of(SettingsBook.View view) {
        ApprovalSettings settings = view.settings();
        return new ApprovalSettingsReply(
                settings.revision(),
                settings.approvals(),
                Spans.text(settings.expires()),
                Spans.text(settings.emergency()),
                settings.raisePercent() / PERCENT,
                view.waiting().stream().map(Proposal::of).toList());
    }
}
