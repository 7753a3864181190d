package io.sluice.center.approval;

import io.sluice.center.access.Access;
import io.sluice.center.database.LostRaceException;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Finds the person behind the name of an actor. Every method runs within a transaction of the caller. */
final class Persons {

    private static final String USER = "user:";
    private static final String TOKEN = "token:";

    private final People people;

    Persons(People people) {
        this.people = people;
    }

    /** Returns the current rights of an actor; empty if it has none any more. */
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

    /** Returns the stored identity of an actor and its present identity. Disabled accounts and revoked tokens count as well. */
    Set<String> identities(JdbcClient client, String actor, String stored) {
        Set<String> all = new LinkedHashSet<>();
        all.add(stored);
        owner(client, actor).ifPresent(account -> all.add(account.identity()));
        return all;
    }

    /** Returns the account of an actor, even if the account is disabled or the actor is a revoked token. */
    Optional<Account> owner(JdbcClient client, String actor) {
        return actor.startsWith(USER)
                ? people.accounts().named(client, actor.substring(USER.length()))
                : tokenId(actor).flatMap(id -> people.tokens().find(client, id)).flatMap(token -> people.accounts()
                        .find(client, token.account()));
    }

    /** Makes sure that an account does not change between the read and the end of the transaction. */
    static void hold(JdbcClient client, Account account) {
        int rows = client.sql("UPDATE account SET revision = revision WHERE id = ? AND revision = ?")
                .params(account.id(), account.revision())
                .update();
        if (rows != 1) {
            throw new LostRaceException("account " + account.id() + ": changed meanwhile");
        }
    }

    /** Refuses programs. A token cannot approve anything, even if its owner can. */
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
