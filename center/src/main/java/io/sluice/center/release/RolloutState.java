package io.sluice.center.release;

import java.util.Arrays;

/** The state of a rollout. */
public enum RolloutState {
    /** It starts at a time in the future. */
    SCHEDULED("scheduled"),
    /** Some live nodes have not applied the version yet. */
    RELEASING("releasing"),
    /** Some nodes or callers try the version, or its limits are candidates. */
    TRIAL("trial"),
    /** A trial whose last verdict was to wait. */
    HOLDING("holding"),
    /** Every live node has applied the version. */
    DONE("done"),
    /** Its trial was ended, and the rules before it were released again. */
    ROLLED_BACK("rolled_back"),
    /** A newer version was released before every live node applied this one. */
    SUPERSEDED("superseded"),
    /** A schedule that was refused when its time came. */
    FAILED("failed"),
    /** A schedule that was cancelled before its time. */
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
