package io.sluice.node.config;

import java.util.List;

/** The node could not start. The message is one line that says what is wrong and what to do; details may follow. */
public final class StartFailedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> details;

    public StartFailedException(String message, List<String> details) {
        super(message);
        this.details = List.copyOf(details);
    }

    /** Returns further lines, such as the errors of a rule document; usually none. */
    public List<String> details() {
        return details;
    }
}
