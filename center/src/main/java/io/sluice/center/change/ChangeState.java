package io.sluice.center.change;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where a change is on its way. Only an open change can be edited. */
public enum ChangeState {
    OPEN,
    /** Its version is on trial, or its limits are candidates. */
    TRIAL,
    RELEASED,
    WITHDRAWN,
    REJECTED;

    /** Returns the name in the API and the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the state with this name. */
    public static Optional<ChangeState> find(String word) {
        return Arrays.stream(values())
                .filter(state -> state.word().equals(word))
                .findFirst();
    }

    static ChangeState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
