package io.sluice.replay.imports.draft;

/**
 * A remark of an import about one place of the original. Prints as {@code FILE:LINE:COL: message}, or as {@code FILE:LINE:COL:
 * warning: message}.
 *
 * @param message the text, on one line
 */
public record Note(Severity severity, Spot spot, String message) {

    public Note {
        message = message.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]+", " ");
    }

    /** The importance of a note. */
    public enum Severity {
        /** Explains the rule, or names a setting that has no counterpart and changes no decision about limits. */
        COMMENT,
        /** The rule decides differently from the original. The message describes the difference. */
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
