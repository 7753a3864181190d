package io.sluice.cli.apply;

import java.util.List;

/** A center did not do what it was asked for. The message is one line that says what is wrong and what to do. */
public final class CenterCallException extends Exception {

    private static final long serialVersionUID = 1;

    private final int status;
    private final transient List<String> details;
    private final boolean needsApproval;
    private final boolean isOutcomeUnknown;

    /**
     * Creates a failure.
     *
     * @param status of the answer; 0 without an answer
     * @param details lines to print before the message
     */
    CenterCallException(String message, int status, List<String> details) {
        this(message, status, details, false, false);
    }

    /**
     * Creates a failure.
     *
     * @param needsApproval whether a second person has to approve first
     * @param isOutcomeUnknown whether a change may have been made
     */
    CenterCallException(
            String message, int status, List<String> details, boolean needsApproval, boolean isOutcomeUnknown) {
        super(message);
        this.status = status;
        this.details = List.copyOf(details);
        this.needsApproval = needsApproval;
        this.isOutcomeUnknown = isOutcomeUnknown;
    }

    /** Returns whether the change may have been made, although it was not answered as one that was. */
    boolean isOutcomeUnknown() {
        return isOutcomeUnknown;
    }

    /** Returns whether the center has decided about the request. It has not if it or its database was away. */
    boolean isDefinite() {
        return status >= 400 && status < 500;
    }

    boolean needsApproval() {
        return needsApproval;
    }

    /** Returns whether the state of the center changed, or does not allow the call. */
    boolean isConflict() {
        return status == 409;
    }

    /** Returns whether the token lacks a right. */
    public boolean isForbidden() {
        return status == 403;
    }

    List<String> details() {
        return details;
    }
}
