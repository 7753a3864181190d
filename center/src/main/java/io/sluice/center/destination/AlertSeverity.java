package io.sluice.center.destination;

import java.util.Arrays;
import java.util.Optional;

/** The urgency of an alert. */
public enum AlertSeverity {
    INFO("info"),
    WARNING("warning"),
    CRITICAL("critical");

    private final String word;

    AlertSeverity(String word) {
        this.word = word;
    }

    /** Returns the name in the API and in configuration files. */
    public String word() {
        return word;
    }

    /** Returns the severity with this name. */
    public static Optional<AlertSeverity> find(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
    }
}
