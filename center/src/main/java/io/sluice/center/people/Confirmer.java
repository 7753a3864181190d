package io.sluice.center.people;

/** A way to ask the identity server of an account whether it still knows the person. Thread-safe. */
public interface Confirmer {

    /**
     * Asks the server of an account, if the account comes from one and the last question is older than the configured time. What the
     * server says counts when this returns. Returns at once if another thread or center asks already. A server that does not answer
     * changes nothing.
     *
     * @return whether the server has answered
     */
    boolean confirm(long account);

    /** Returns whether the server of an account can be asked without a sign-in. */
    boolean isAsked(Account account);
}
