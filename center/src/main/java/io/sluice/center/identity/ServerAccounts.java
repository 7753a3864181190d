package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.database.Database;
import io.sluice.center.http.RequestAddress;
import io.sluice.center.identity.server.Evidence;
import io.sluice.center.identity.server.ServerPerson;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.log.LogText;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.people.People;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The accounts of people who sign in through identity servers. An account belongs to a server and a subject. It is never found by
 * a name or an e-mail address, so a server cannot give access to an account that is not its own. Thread-safe.
 */
final class ServerAccounts {

    private static final Logger LOG = LoggerFactory.getLogger(ServerAccounts.class);

    private final People people;

    ServerAccounts(People people) {
        this.people = people;
    }

    /** Returns the account of a person who signs in through a server that gave no refresh token. */
    Account admit(ServerPerson person) throws SignInFailedException {
        return admit(person, "");
    }

    /**
     * Returns the account of a person who signs in, with the person's present roles. Creates it at the first sign-in.
     *
     * @param refreshToken the encrypted token for the next question about the person; may be empty
     * @throws SignInFailedException if the person has no role or the account is disabled
     */
    Account admit(ServerPerson person, String refreshToken) throws SignInFailedException {
        Optional<Account> known = people.database().read(client -> find(client, person));
        if (known.isEmpty() && person.grants().isEmpty()) {
            throw noRole(person);
        }
        Account account = people.database().write(client -> {
            Account admitted = find(client, person).isPresent()
                    ? update(client, person, "signed in through " + person.origin(), Optional.empty())
                    : create(client, person);
            if (!admitted.isDisabled()) {
                people.confirmations().confirm(client, admitted.id(), refreshToken);
            }
            return admitted;
        });
        if (account.isDisabled()) {
            throw new SignInFailedException(SignInProblem.DISABLED, "account " + account.name() + " is disabled");
        }
        if (account.grants().isEmpty()) {
            throw noRole(person);
        }
        return account;
    }

    /**
     * Gives an account the present roles of its person, without a sign-in.
     *
     * @param refreshToken the encrypted token for the next question about the person; may be empty
     */
    void confirm(ServerPerson person, String refreshToken) {
        people.database().write(client -> {
            Account account = update(
                    client, person, person.origin() + " was asked again: " + why(person), Optional.of(Actor.CENTER));
            people.confirmations().confirm(client, account.id(), refreshToken);
            return account;
        });
    }

    /**
     * Removes the roles of an account, because its identity server no longer knows the person.
     *
     * @param why the answer of the server, for the log
     */
    void remove(Account account, String why) {
        people.database().write(client -> {
            Account now = people.accounts().find(client, account.id()).orElseThrow();
            if (!now.grants().isEmpty()) {
                Account replaced = people.accounts().replace(client, now.withGrants(List.of()));
                log(client, Actor.CENTER, replaced, "account_changed", why, before(now));
                LOG.info("{}: account {} has lost its roles: {}", now.origin(), now.name(), LogText.line(why));
            }
            people.confirmations().withdraw(client, account.id());
            return now;
        });
    }

    /**
     * Suspends the sessions, tokens and passkeys of an account until the next sign-in, because its identity server refuses to
     * confirm the person.
     *
     * @param why the answer of the server, for the log
     */
    void suspend(Account account, String why) {
        people.database().write(client -> {
            people.confirmations().withdraw(client, account.id());
            log(client, Actor.CENTER, account, "account_suspended", why, Map.of());
            return account;
        });
        LOG.info(
                "{}: account {} rests until the next sign-in: {}", account.origin(), account.name(), LogText.line(why));
    }

    private static String why(ServerPerson person) {
        return person.grants().isEmpty() ? person.evidence() : "other roles";
    }

    private Optional<Account> find(JdbcClient client, ServerPerson person) {
        return people.accounts().from(client, person.origin(), person.subject());
    }

    private Account create(JdbcClient client, ServerPerson person) {
        // Taken first, so that two first sign-ins of one person are carried out one after the other.
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
        log(
                client,
                account.actor().at(RequestAddress.current()),
                account,
                "account_created",
                "signed in through " + account.origin(),
                Map.of());
        return account;
    }

    /**
     * Stores the present answer of a server.
     *
     * @param actor the actor who caused the question; empty if the person signs in
     */
    private Account update(JdbcClient client, ServerPerson person, String reason, Optional<Actor> actor) {
        Account account = find(client, person).orElseThrow();
        Account wanted = updated(account, person);
        if (account.isDisabled() || wanted.equals(account)) {
            return account;
        }
        Account replaced = people.accounts().replace(client, wanted);
        log(
                client,
                actor.orElseGet(() -> account.actor().at(RequestAddress.current())),
                replaced,
                "account_changed",
                reason,
                before(account));
        if (actor.isPresent()) {
            LOG.info("{}: account {} has other roles: {}", account.origin(), account.name(), LogText.line(reason));
        }
        return replaced;
    }

    private static Map<String, ?> before(Account account) {
        return Map.of("before", Map.of("roles", GrantsJson.write(account.grants())));
    }

    /**
     * Returns an account with the data of its server. An identity becomes an e-mail address at most once and then stays, because
     * a person who could change it could approve their own changes as another person.
     */
    private static Account updated(Account account, ServerPerson person) {
        boolean isFirstEmail = account.email().isEmpty() && !person.email().isEmpty();
        boolean isSame = Set.copyOf(account.grants()).equals(Set.copyOf(person.grants()));
        List<Grant> grants = isSame ? account.grants() : person.grants();
        return new Account(
                account.id(),
                account.revision(),
                account.name(),
                // Stored names may still contain invisible characters.
                ServerPerson.visible(account.displayName()),
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

    private void log(JdbcClient client, Actor actor, Account account, String kind, String reason, Map<String, ?> more) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("account", account.id());
        details.put("user", account.name());
        details.put("origin", account.origin());
        details.put("roles", GrantsJson.write(account.grants()));
        long unused = people.log().add(client, actor, new Command.Act(kind, reason, details), more);
    }

    private static SignInFailedException noRole(ServerPerson person) {
        String why = "no group of " + Evidence.masked(person.name()) + " has a role: " + person.evidence();
        LOG.info("{}: sign-in refused: {}", person.origin(), LogText.line(why));
        return new SignInFailedException(SignInProblem.NO_ROLE, why);
    }
}
