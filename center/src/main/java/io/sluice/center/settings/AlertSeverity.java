package io.sluice.center.settings;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How urgent an alert is. */
public enum AlertSeverity {
    INFO,
    WARNING,
    CRITICAL;

    /** Returns the name in the API and in configuration files. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the severity with this name. */
    public static Optional<AlertSeverity> find(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
    }
}
