package io.sluice.cli.apply;

import java.util.List;

/** Thrown when a call to a center fails. The message is one line with the problem and its solution. */
public final class CenterCallException extends Exception {

    private static final long serialVersionUID = 1;

    private final int status;
    private final transient List<String> details;
    private final boolean needsApproval;
    private final boolean isOutcomeUnknown;

    /**
     * Creates a failure.
     *
     * @param status the status of the answer; 0 without an answer
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

    /** Returns whether the change may have been made, although no answer confirms it. */
    boolean isOutcomeUnknown() {
        return isOutcomeUnknown;
    }

    /** Returns whether the center has decided about the request; false if the center or its database was unavailable. */
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
