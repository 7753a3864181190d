package io.sluice.node.config;

import java.util.List;

/** The node could not start. The message is one line with the problem and its remedy; details may follow. */
public final class StartFailedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> details;
    private final boolean isFileUnreadable;

    public StartFailedException(String message, List<String> details) {
        this(message, details, false);
    }

    /** @param isFileUnreadable whether a file named by the user cannot be read at all */
    public StartFailedException(String message, List<String> details, boolean isFileUnreadable) {
        super(message);
        this.details = List.copyOf(details);
        this.isFileUnreadable = isFileUnreadable;
    }

    /** Returns whether a file named by the user cannot be read at all, which is bad usage. */
    public boolean isFileUnreadable() {
        return isFileUnreadable;
    }

    /** Returns further lines, such as the errors of a rule document; empty for most failures. */
    public List<String> details() {
        return details;
    }
}
