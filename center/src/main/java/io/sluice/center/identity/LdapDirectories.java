package io.sluice.center.identity;

import io.sluice.center.people.Account;
import io.sluice.center.signin.PasswordDirectory;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All LDAP servers. They are asked in their order, and the first that knows the name decides, so no other server sees the
 * password. A server that does not answer is left out, at once if that is known already. Thread-safe.
 */
final class LdapDirectories implements PasswordDirectory, AutoCloseable {

    /** The time for all directories together. */
    static final Duration MAX_DURATION = Duration.ofSeconds(15);

    private static final int LONGEST = 1_000;

    private final List<LdapDirectory> directories;
    private final ServerAccounts accounts;
    private final Clock clock;

    LdapDirectories(List<LdapDirectory> directories, ServerAccounts accounts, Clock clock) {
        this.directories = List.copyOf(directories);
        this.accounts = accounts;
        this.clock = clock;
    }

    @Override
    public Optional<Account> signIn(String name, String password) {
        if (name.isBlank() || password.isEmpty() || name.length() > LONGEST || password.length() > LONGEST) {
            return Optional.empty();
        }
        long deadline = clock.nanoTime() + MAX_DURATION.toNanos();
        for (LdapDirectory directory : directories) {
            Duration left = Duration.ofNanos(deadline - clock.nanoTime());
            if (left.isNegative() || left.isZero()) {
                return Optional.empty();
            }
            try {
                LdapDirectory.Answer answer = directory.ask(name, password, left);
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

    @Override
    public void close() {
        directories.forEach(LdapDirectory::close);
    }
}
