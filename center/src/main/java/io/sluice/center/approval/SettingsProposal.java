package io.sluice.center.approval;

/**
 * A proposal to change the settings for approvals. Immutable.
 *
 * @param settings the proposed settings, with the revision that they replace
 * @param at the time in milliseconds since the epoch
 * @param state {@link #WAITING}, {@link #APPROVED} or {@link #REJECTED}
 */
public record SettingsProposal(
        long id, ApprovalSettings settings, String reason, String actor, String identity, long at, String state) {

    static final String WAITING = "waiting";
    static final String APPROVED = "approved";
    static final String REJECTED = "rejected";
}
