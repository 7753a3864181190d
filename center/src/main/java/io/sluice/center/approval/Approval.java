package io.sluice.center.approval;

/**
 * A person agreed to something. Immutable; whether it still holds is found out when it matters.
 *
 * @param kind what was approved: {@link #CHANGE}, {@link #SETTINGS} or {@link #EMERGENCY}
 * @param subject the id of what was approved
 * @param revision of the content of a change; otherwise 0
 * @param digest of the rules that result from a change; otherwise empty
 * @param base the version, or the revision of the settings, that was in force
 * @param account of the person
 * @param identity the person, at that time
 * @param remark may be empty
 * @param at milliseconds since the epoch
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
