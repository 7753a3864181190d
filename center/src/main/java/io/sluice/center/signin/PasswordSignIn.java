package io.sluice.center.signin;

import io.sluice.center.people.Account;
import io.sluice.center.people.Names;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks names and passwords. An unknown name, an account that is disabled or has no password, and a wrong password cost the same
 * work and get the same answer. Thread-safe.
 */
public final class PasswordSignIn {

    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_PASSWORD = 1_000;

    private final People people;
    private final Passwords passwords;
    private final SignInThrottle throttle;
    private final RefusedRequests refused;
    private final List<PasswordDirectory> directories;

    PasswordSignIn(
            People people,
            Passwords passwords,
            SignInThrottle throttle,
            RefusedRequests refused,
            List<PasswordDirectory> directories) {
        this.people = people;
        this.passwords = passwords;
        this.throttle = throttle;
        this.refused = refused;
        this.directories = List.copyOf(directories);
    }

    /**
     * Returns the account with this name and password.
     *
     * @throws SignInRefusedException if the name or the password is not right
     * @throws TooManyAttemptsException if there were too many attempts
     */
    public Account signIn(HttpServletRequest request, String user, String password) {
        requireLength("user", user, LONGEST_NAME);
        String name = Names.typed(user);
        requireLength("password", password, LONGEST_PASSWORD);
        SignInThrottle.Attempt attempt = admitted(request, name);
        Optional<Account> named = named(name);
        Optional<Account> account = named.filter(found -> !found.isDisabled());
        Optional<Account> local = account.filter(found ->
                found.origin().equals(Account.LOCAL) && !found.password().isEmpty());
        boolean matches =
                passwords.matches(password, local.map(Account::password).orElse(""));
        Optional<Account> proved = local.filter(found -> matches);
        if (proved.isEmpty()) {
            // The directories are also asked about the name of a local account. Otherwise the time of the answer would
            // reveal that such an account exists.
            proved = Optional.of(
                    require(request, named, directories.stream().map(directory -> directory.signIn(name, password))));
        }
        attempt.succeeded();
        return proved.get();
    }

    /**
     * Checks the password of a person who is signed in. A directory is asked under its own name of the person.
     *
     * @throws SignInRefusedException if the password is not right
     * @throws TooManyAttemptsException if there were too many attempts
     */
    public void confirm(HttpServletRequest request, Account own, String password) {
        if (own.origin().equals(Account.LOCAL)) {
            if (signIn(request, own.name(), password).id() != own.id()) {
                throw new SignInRefusedException();
            }
            return;
        }
        requireLength("password", password, LONGEST_PASSWORD);
        SignInThrottle.Attempt attempt = admitted(request, own.name());
        Account proved = require(
                request, Optional.of(own), directories.stream().map(directory -> directory.signIn(own, password)));
        if (proved.id() != own.id()) {
            throw new SignInRefusedException();
        }
        attempt.succeeded();
    }

    /** Returns the account that a directory proved. The typed name may be a password by mistake, so only names of accounts are stored. */
    private Account require(
            HttpServletRequest request, Optional<Account> named, Stream<PasswordDirectory.Answer> answers) {
        String noRole = "";
        for (PasswordDirectory.Answer answer : (Iterable<PasswordDirectory.Answer>) answers::iterator) {
            Optional<Account> proved = answer.account().filter(found -> !found.isDisabled());
            if (proved.isPresent()) {
                return proved.get();
            }
            noRole = noRole.isEmpty() ? answer.noRole() : noRole;
        }
        boolean isProved = !noRole.isEmpty();
        refused.signIn(
                request,
                "password",
                isProved ? noRole : "the name or password is wrong, or the account is disabled",
                isProved ? Optional::empty : () -> named);
        throw isProved ? SignInRefusedException.withoutRole() : new SignInRefusedException();
    }

    private SignInThrottle.Attempt admitted(HttpServletRequest request, String name) {
        try {
            return throttle.admit(request, name);
        } catch (TooManyAttemptsException e) {
            refused.signIn(request, "password", "too many attempts", () -> named(name));
            throw e;
        }
    }

    private Optional<Account> named(String name) {
        return people.database().read(client -> people.accounts().named(client, name));
    }

    private static void requireLength(String field, String text, int most) {
        if (text.isEmpty() || text.length() > most) {
            throw RefusedException.invalid(field + ": " + (text.isEmpty() ? "missing" : "too long")
                    + " (expected: 1 to " + most + " characters)");
        }
    }
}
