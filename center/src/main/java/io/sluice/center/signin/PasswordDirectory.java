package io.sluice.center.signin;

import io.sluice.center.people.Account;
import java.util.Optional;

/** An identity server that checks passwords itself, such as LDAP. Thread-safe. */
public interface PasswordDirectory {

    /** Returns the account of somebody whose password is right, and creates it at the first sign-in. */
    Optional<Account> signIn(String name, String password);
}
