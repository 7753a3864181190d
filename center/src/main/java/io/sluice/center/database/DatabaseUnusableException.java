package io.sluice.center.database;

/** Thrown if the database cannot be used. The message is one line that names the problem and its solution. */
public final class DatabaseUnusableException extends Exception {

    private static final long serialVersionUID = 1;

    DatabaseUnusableException(String message) {
        super(message);
    }

    static DatabaseUnusableException of(DatabaseKind kind, Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        DatabaseUnusableException unusable =
                new DatabaseUnusableException("database " + kind.name() + ": " + oneLine(root) + "; " + kind.advice());
        unusable.initCause(failure);
        return unusable;
    }

    private static String oneLine(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.replaceAll("\\s+", " ").strip();
    }
}
