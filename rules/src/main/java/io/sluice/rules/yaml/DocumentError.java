package io.sluice.rules.yaml;

/**
 * One thing that is wrong with a document. Prints as {@code FILE:LINE:COL: message}.
 *
 * @param line from 1; 0 if the file as a whole is meant
 * @param column from 1
 * @param message in the form {@code name: value (expected: what would do)}
 */
public record DocumentError(String file, int line, int column, String message) {

    /** An error of the file as a whole. */
    public static DocumentError of(String file, String message) {
        return new DocumentError(file, 0, 0, message);
    }

    @Override
    public String toString() {
        return line == 0 ? file + ": " + message : file + ":" + line + ":" + column + ": " + message;
    }
}
