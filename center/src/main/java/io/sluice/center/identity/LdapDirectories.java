package io.sluice.center.identity;

import io.sluice.center.people.Account;
import io.sluice.center.signin.PasswordDirectory;
import java.util.List;
import java.util.Optional;

/**
 * All LDAP servers. They are asked in their order, and the first that knows the name decides, so no other server sees the
 * password. A server that does not answer is left out. Thread-safe.
 */
final class LdapDirectories implements PasswordDirectory {

    private static final int LONGEST = 1_000;

    private final List<LdapDirectory> directories;
    private final ServerAccounts accounts;

    LdapDirectories(List<LdapDirectory> directories, ServerAccounts accounts) {
        this.directories = List.copyOf(directories);
        this.accounts = accounts;
    }

    @Override
    public Optional<Account> signIn(String name, String password) {
        if (name.isBlank() || password.isEmpty() || name.length() > LONGEST || password.length() > LONGEST) {
            return Optional.empty();
        }
        for (LdapDirectory directory : directories) {
            try {
                LdapDirectory.Answer answer = directory.ask(name, password);
                if (answer.isKnown()) {
                    return answer.person().isPresent()
                            ? Optional.of(accounts.admit(answer.person().get()))
                            : Optional.empty();
                }
            } catch (SignInFailedException e) {
                if (e.problem() != SignInProblem.UNAVAILABLE) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }
}
