package io.sluice.center.change;

import java.util.Arrays;
import java.util.Optional;

/** The state of a change. Only an open change can be edited. */
public enum ChangeState {
    OPEN("open"),
    /** Its version is on trial, or its limits are candidates. */
    TRIAL("trial"),
    RELEASED("released"),
    WITHDRAWN("withdrawn"),
    REJECTED("rejected");

    private final String word;

    ChangeState(String word) {
        this.word = word;
    }

    /** Returns the name in the API and the database. */
    public String word() {
        return word;
    }

    /** Returns the state with this name. */
    public static Optional<ChangeState> find(String word) {
        return Arrays.stream(values())
                .filter(state -> state.word().equals(word))
                .findFirst();
    }

    static ChangeState of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word.equals(word))
                .findFirst()
                .orElseThrow();
    }
}
