package io.sluice.center.signin;

import io.sluice.center.people.Account;
import java.util.Optional;

/** An identity server that checks passwords itself, such as LDAP. Thread-safe. */
public interface PasswordDirectory {

    /**
     * The answer of a server about a password.
     *
     * @param account the account; empty if the sign-in is refused
     * @param noRole the reason why a person with the right password is refused, for the audit log; empty in all other cases
     */
    record Answer(Optional<Account> account, String noRole) {

        /** The name or the password is wrong, or the account is disabled. */
        public static final Answer REFUSED = new Answer(Optional.empty(), "");

        public static Answer of(Account account) {
            return new Answer(Optional.of(account), "");
        }

        public static Answer withoutRole(String why) {
            return new Answer(Optional.empty(), why);
        }
    }

    /** Checks the password of a typed name. Creates the account of the person at the first sign-in. */
    Answer signIn(String name, String password);

    /** Checks the password of the person of an account, regardless of the name of the account. */
    Answer signIn(Account account, String password);
}
