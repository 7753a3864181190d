package io.sluice.center.access;

/** A permission to act. Roles have rights, and each endpoint needs one. */
public enum Right {
    /** Sees rules, versions, changes, rollouts and adjustments. */
    READ("read"),
    /** Opens, edits, rebases and withdraws changes. */
    EDIT("edit"),
    /** Releases, schedules and promotes changes. */
    RELEASE("release"),
    /** Approves and rejects changes of others, and reviews emergencies. */
    APPROVE("approve"),
    /** Sets overrides and the emergency switch, rolls back, ends trials, and silences alerts. */
    OPERATE("operate"),
    /** Sees nodes and the state of the center. */
    SEE_FLEET("see_fleet"),
    /** Sees the log of commands. */
    SEE_LOG("see_log"),
    /** Creates and changes accounts. */
    MANAGE_PEOPLE("manage_people"),
    /** Creates tokens for nodes, and sees and revokes the tokens of others. */
    MANAGE_TOKENS("manage_tokens"),
    /** Proposes other settings for approvals, changes alert rules, repairs the mirror in Redis, and erases subjects. */
    MANAGE_CENTER("manage_center"),
    /** Learns from a node the identity of a caller that the center knows only by its hash. */
    REVEAL("reveal"),
    /** Reports as a node and receives its rules. */
    REPORT("report");

    private final String word;

    Right(String word) {
        this.word = word;
    }

    /** Returns whether the right has an effect only for people who have it over all rules. */
    boolean isOnlyEverywhere() {
        return this == SEE_FLEET || this == SEE_LOG || this == MANAGE_CENTER || this == REVEAL || this == REPORT;
    }

    /** Returns the name in the API. */
    public String word() {
        return word;
    }
}
