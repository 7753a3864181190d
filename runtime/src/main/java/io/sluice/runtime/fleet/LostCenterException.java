package io.sluice.runtime.fleet;

/** Thrown when a center cannot be reached, or answers in a way that cannot be used. The message is a part of a sentence. */
public final class LostCenterException extends Exception {

    private static final long serialVersionUID = 1;

    private final boolean answered;

    /** @param answered whether something answered; then the problem is not the connection and will hardly pass by itself */
    public LostCenterException(String message, boolean answered) {
        super(message);
        this.answered = answered;
    }

    public boolean answered() {
        return answered;
    }

    /** Returns the message. */
    public String why() {
        return String.valueOf(getMessage());
    }
}
