package io.sluice.rules.redis;

/** Thrown when a center writes to a Redis in which another one has claimed a later term. Nothing was written. */
public final class NewerLeaderException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final long term;

    NewerLeaderException(long term) {
        super("Redis belongs to the leader of term " + term + ", which is later");
        this.term = term;
    }

    /** Returns the later term. */
    public long term() {
        return term;
    }
}
