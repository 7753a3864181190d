package io.sluice.replay.imports.draft;

/**
 * What an import has to say about one place of the original. Prints as {@code FILE:LINE:COL: message}, or as {@code
 * FILE:LINE:COL: warning: message}.
 *
 * @param message one line
 */
public record Note(Severity severity, Spot spot, String message) {

    public Note {
        message = message.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]+", " ");
    }

    /** How much a note matters. */
    public enum Severity {
        /** Explains the rule, or says what has no counterpart and changes no decision about limits. */
        COMMENT,
        /** The rule decides differently from the original. The message says how. */
        WARNING
    }

    public boolean isWarning() {
        return severity == Severity.WARNING;
    }

    @Override
    public String toString() {
        return spot + ": " + (isWarning() ? "warning: " : "") + message;
    }
}
