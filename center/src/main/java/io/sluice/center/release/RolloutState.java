package io.sluice.center.release;

import java.util.Arrays;

/** Where a rollout is. */
public enum RolloutState {
    /** It begins at a time in the future. */
    SCHEDULED("scheduled"),
    /** Some live node has not applied the version yet. */
    RELEASING("releasing"),
    /** Some nodes or callers try the version, or its limits are candidates. */
    TRIAL("trial"),
    /** A trial whose last verdict was to wait. */
    HOLDING("holding"),
    /** Every live node applied it. */
    DONE("done"),
    /** Its trial was ended, and the rules before it were released again. */
    ROLLED_BACK("rolled_back"),
    /** A newer version was released before every live node applied this one. */
    SUPERSEDED("superseded"),
    /** A schedule that was refused when its time came. */
    FAILED("failed"),
    /** A schedule that somebody took back. */
    CANCELLED("cancelled");

    private final String word;

    RolloutState(String word) {
        this.word = word;
    }

    /** Returns the name in the API and the database. */
    public String word() {
        return word;
    }

    static RolloutState of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word.equals(word))
                .findFirst()
                .orElseThrow();
    }
}
