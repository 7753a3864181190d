package io.sluice.center.approval;

import io.sluice.center.access.Access;
import io.sluice.center.command.RefusedException;
import io.sluice.center.database.LostRaceException;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Finds the person behind the name of an actor. Always within a transaction of the caller. */
final class Persons {

    private static final String USER = "user:";
    private static final String TOKEN = "token:";

    private final People people;

    Persons(People people) {
        this.people = people;
    }

    /** Returns what an actor may do now; empty if it may do nothing any more. */
    Optional<Access> access(JdbcClient client, String actor) {
        if (actor.equals(Access.MACHINE.actor().name())) {
            return Optional.of(Access.MACHINE);
        }
        if (actor.startsWith(USER)) {
            return people.accounts()
                    .named(client, actor.substring(USER.length()))
                    .filter(account -> !account.isDisabled())
                    .map(Account::access);
        }
        return tokenId(actor).flatMap(id -> people.tokens().access(client, id));
    }

    Optional<Account> account(JdbcClient client, long id) {
        return people.accounts().find(client, id);
    }

    /**
     * Returns the identities of an actor: the one that it had, and the one that it has now. Disabled accounts and revoked tokens
     * count too.
     */
    Set<String> identities(JdbcClient client, String actor, String stored) {
        Set<String> all = new LinkedHashSet<>();
        all.add(stored);
        owner(client, actor).ifPresent(account -> all.add(account.identity()));
        return all;
    }

    /** Returns the account behind an actor, also a disabled one, or that of a revoked token. */
    Optional<Account> owner(JdbcClient client, String actor) {
        return actor.startsWith(USER)
                ? people.accounts().named(client, actor.substring(USER.length()))
                : tokenId(actor).flatMap(id -> people.tokens().find(client, id)).flatMap(token -> people.accounts()
                        .find(client, token.account()));
    }

    /** Makes sure that an account stays as it was read until the end of the transaction. */
    static void hold(JdbcClient client, Account account) {
        int rows = client.sql("UPDATE account SET revision = revision WHERE id = ? AND revision = ?")
                .params(account.id(), account.revision())
                .update();
        if (rows != 1) {
            throw new LostRaceException("account " + account.id() + ": changed meanwhile");
        }
    }

    /** Refuses programs. No token approves, whoever owns it. */
    static void requirePerson(Access access) {
        if (!access.isPerson()) {
            throw RefusedException.forbidden("a token cannot approve (expected: a person who is signed in)");
        }
    }

    private static Optional<Long> tokenId(String actor) {
        return actor.matches(TOKEN + "[0-9]{1,18}")
                ? Optional.of(Long.parseLong(actor.substring(TOKEN.length())))
                : Optional.empty();
    }
}
