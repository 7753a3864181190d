package io.sluice.center.approval;

/**
 * The approval of one person. Immutable. Whether the approval still holds is decided each time it is needed.
 *
 * @param kind the kind of subject: {@link #CHANGE}, {@link #SETTINGS} or {@link #EMERGENCY}
 * @param subject the id of the approved change, proposal or emergency
 * @param revision the revision of the change's content; 0 for other kinds
 * @param digest the digest of the rules that result from the change; empty for other kinds
 * @param base the version, or the revision of the settings, that was in force
 * @param account the account of the person
 * @param identity the identity of the person at that time
 * @param remark the comment of the person; may be empty
 * @param at the time in milliseconds since the epoch
 */
record Approval(
        long id,
        String kind,
        long subject,
        long revision,
        String digest,
        long base,
        long account,
        String actor,
        String identity,
        String remark,
        long at) {

    static final String CHANGE = "change";
    static final String SETTINGS = "settings";
    static final String EMERGENCY = "emergency";
}
