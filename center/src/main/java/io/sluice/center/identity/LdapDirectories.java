package io.sluice.center.identity;

import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.signin.PasswordDirectory;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * All LDAP servers. They are asked in their order, and the first server that knows the name decides, so later servers do not see
 * the password. A server that does not answer is skipped. Thread-safe.
 */
final class LdapDirectories implements PasswordDirectory, AutoCloseable {

    /** The time limit for all directories together. */
    static final Duration MAX_DURATION = Duration.ofSeconds(15);

    private static final int LONGEST = 1_000;

    private final List<LdapDirectory> directories;
    private final ServerAccounts accounts;
    private final EvenRefusals refusals;
    private final Clock clock;

    LdapDirectories(List<LdapDirectory> directories, ServerAccounts accounts, EvenRefusals refusals, Clock clock) {
        this.directories = List.copyOf(directories);
        this.accounts = accounts;
        this.refusals = refusals;
        this.clock = clock;
    }

    /** A question to one directory. */
    private interface Question {
        LdapDirectory.Answer ask(LdapDirectory directory, Duration limit) throws SignInFailedException;
    }

    @Override
    public Answer signIn(String name, String password) {
        return name.isBlank() || name.length() > LONGEST
                ? Answer.REFUSED
                : ask(directories, password, (directory, limit) -> directory.ask(name, password, limit));
    }

    @Override
    public Answer signIn(Account account, String password) {
        List<LdapDirectory> own = directories.stream()
                .filter(directory -> directory.server().name().equals(account.origin()))
                .toList();
        return ask(own, password, (directory, limit) -> directory.ask(account, password, limit));
    }

    private Answer ask(List<LdapDirectory> asked, String password, Question question) {
        return asked.isEmpty() || password.isEmpty() || password.length() > LONGEST
                ? Answer.REFUSED
                : refusals.even(
                        () -> first(asked, question), answer -> answer.account().isEmpty());
    }

    private Answer first(List<LdapDirectory> asked, Question question) {
        long deadline = clock.nanoTime() + MAX_DURATION.toNanos();
        for (LdapDirectory directory : asked) {
            Duration left = Duration.ofNanos(deadline - clock.nanoTime());
            if (left.isNegative() || left.isZero()) {
                return Answer.REFUSED;
            }
            try {
                LdapDirectory.Answer answer = question.ask(directory, left);
                if (answer.isKnown()) {
                    return answer.person().isPresent()
                            ? Answer.of(accounts.admit(answer.person().get()))
                            : Answer.REFUSED;
                }
            } catch (SignInFailedException e) {
                if (e.problem() == SignInProblem.NO_ROLE) {
                    return Answer.withoutRole(directory.server().name() + ": " + e.getMessage());
                }
                if (e.problem() != SignInProblem.UNAVAILABLE) {
                    return Answer.REFUSED;
                }
            }
        }
        return Answer.REFUSED;
    }

    @Override
    public void close() {
        directories.forEach(LdapDirectory::close);
    }
}
