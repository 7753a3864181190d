package io.sluice.center.access;

/** What somebody may do. Roles have rights, and each endpoint needs one. */
public enum Right {
    /** Sees rules, versions, changes, rollouts and adjustments. */
    READ,
    /** Opens, edits, rebases and withdraws changes. */
    EDIT,
    /** Releases, schedules and promotes changes. */
    RELEASE,
    /** Approves and rejects changes of others, and reviews emergencies. */
    APPROVE,
    /** Sets overrides and the emergency switch, rolls back, ends trials, and silences alerts. */
    OPERATE,
    /** Sees nodes and the state of the center. */
    SEE_FLEET,
    /** Sees the log of commands. */
    SEE_LOG,
    /** Creates and changes accounts. */
    MANAGE_PEOPLE,
    /** Creates tokens for nodes, and sees and revokes the tokens of others. */
    MANAGE_TOKENS,
    /** Proposes other settings for approvals, changes alert rules, repairs the mirror in Redis, and erases subjects. */
    MANAGE_CENTER,
    /** Learns from a node who a caller is that the center knows only by its hash. */
    REVEAL,
    /** Reports as a node and receives its rules. */
    REPORT;

    /** Returns whether it means something only to those who have it over all rules. */
    boolean isOnlyEverywhere() {
        return this == SEE_FLEET || this == SEE_LOG || this == MANAGE_CENTER || this == REVEAL || this == REPORT;
    }
}
