package io.sluice.center.people;

/** Asks the identity server of an account whether it still knows the person. Thread-safe. */
public interface Confirmer {

    /**
     * Asks the server of an account, if the account comes from a server and the last question is older than the configured time. The
     * server's answer is in effect when this method returns. The method returns immediately if another thread or center is already asking.
     * A server that does not answer changes nothing.
     *
     * @return whether the server has answered
     */
    boolean confirm(long account);

    /** Returns whether the server of an account can be asked without a sign-in. */
    boolean isAsked(Account account);
}
