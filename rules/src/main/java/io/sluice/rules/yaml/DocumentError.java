package io.sluice.rules.yaml;

import java.util.List;

/**
 * One error in a document. Prints as {@code FILE:LINE:COL: message}.
 *
 * @param line the line, from 1; 0 if the error is about the whole file
 * @param column the column, from 1
 * @param message the message, in the form {@code name: value (expected: …)}
 */
public record DocumentError(String file, int line, int column, String message) {

    /** Creates an error about the whole file. */
    public static DocumentError of(String file, String message) {
        return new DocumentError(file, 0, 0, message);
    }

    /**
     * Returns whether no error has a line because the file could not be read, for example because the user named the wrong
     * file.
     */
    public static boolean areUnreadable(List<DocumentError> errors) {
        return !errors.isEmpty() && errors.stream().allMatch(error -> error.line() == 0);
    }

    @Override
    public String toString() {
        return line == 0 ? file + ": " + message : file + ":" + line + ":" + column + ": " + message;
    }
}
