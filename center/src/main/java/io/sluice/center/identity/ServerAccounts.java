package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.command.Command;
import io.sluice.center.database.Database;
import io.sluice.center.http.RequestAddress;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.people.People;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The accounts of people who sign in through identity servers. An account belongs to a server and a subject. It is never found by
 * a name or an e-mail address, so a server cannot hand out an account that is not its own. Thread-safe.
 */
final class ServerAccounts {

    private final People people;

    ServerAccounts(People people) {
        this.people = people;
    }

    /**
     * Returns the account of a person, with the roles that the person has now. Creates it at the first sign-in.
     *
     * @throws SignInFailedException if the person has no role or the account is disabled
     */
    Account admit(ServerPerson person) throws SignInFailedException {
        Optional<Account> known = people.database().read(client -> find(client, person));
        if (known.isEmpty() && person.grants().isEmpty()) {
            throw noRole(person);
        }
        Account account = known.isPresent()
                ? people.database().write(client -> update(client, person))
                : people.database().write(client -> create(client, person));
        if (account.isDisabled()) {
            throw new SignInFailedException(SignInProblem.DISABLED, "account " + account.name() + " is disabled");
        }
        if (account.grants().isEmpty()) {
            throw noRole(person);
        }
        return account;
    }

    private Optional<Account> find(JdbcClient client, ServerPerson person) {
        return people.accounts().from(client, person.origin(), person.subject());
    }

    private Account create(JdbcClient client, ServerPerson person) {
        // Taken first, so that two first sign-ins of one person come one after the other.
        long unused = Database.next(client, "account");
        Optional<Account> meanwhile = find(client, person);
        if (meanwhile.isPresent()) {
            return meanwhile.get();
        }
        Account account = people.accounts()
                .add(
                        client,
                        new Accounts.Draft(
                                freeName(client, person),
                                person.displayName(),
                                person.email(),
                                person.origin(),
                                person.subject(),
                                person.grants()),
                        person.identity());
        log(client, account, "account_created", Map.of());
        return account;
    }

    private Account update(JdbcClient client, ServerPerson person) {
        Account account = find(client, person).orElseThrow();
        Account wanted = updated(account, person);
        if (account.isDisabled() || wanted.equals(account)) {
            return account;
        }
        Account replaced = people.accounts().replace(client, wanted);
        log(client, replaced, "account_changed", Map.of("before", Map.of("roles", GrantsJson.write(account.grants()))));
        return replaced;
    }

    /**
     * An identity becomes an e-mail address at most once and then stays, because somebody who can change it could approve their
     * own changes as another person.
     */
    private static Account updated(Account account, ServerPerson person) {
        boolean isFirstEmail = account.email().isEmpty() && !person.email().isEmpty();
        boolean isSame = Set.copyOf(account.grants()).equals(Set.copyOf(person.grants()));
        List<Grant> grants = isSame ? account.grants() : person.grants();
        return new Account(
                account.id(),
                account.revision(),
                account.name(),
                account.displayName(),
                isFirstEmail ? person.email() : account.email(),
                isFirstEmail ? person.identity() : account.identity(),
                account.origin(),
                account.subject(),
                account.password(),
                grants,
                account.disabledAt(),
                account.createdAt(),
                account.changedAt());
    }

    private String freeName(JdbcClient client, ServerPerson person) {
        String name = person.name();
        for (int i = 1; people.accounts().named(client, name).isPresent(); i++) {
            name = person.name() + "-" + person.origin() + (i == 1 ? "" : "-" + i);
        }
        return name;
    }

    private void log(JdbcClient client, Account account, String kind, Map<String, ?> more) {
        long unused = people.log()
                .add(
                        client,
                        account.actor().at(RequestAddress.current()),
                        new Command.Act(
                                kind,
                                "signed in through " + account.origin(),
                                Map.of(
                                        "account",
                                        account.id(),
                                        "origin",
                                        account.origin(),
                                        "roles",
                                        GrantsJson.write(account.grants()))),
                        more);
    }

    private static SignInFailedException noRole(ServerPerson person) {
        return new SignInFailedException(
                SignInProblem.NO_ROLE, "somebody from " + person.origin() + " is in no group that has a role");
    }
}
