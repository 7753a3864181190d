package io.sluice.center.people;

import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The people and programs that use a center. */
public record People(
        Database database,
        CommandLog log,
        Clock clock,
        Accounts accounts,
        Confirmations confirmations,
        Sessions sessions,
        ApiTokens tokens,
        Vault vault) {

    public static People of(Database database, CommandLog log, Clock clock) {
        Accounts accounts = new Accounts(clock);
        Confirmations confirmations = new Confirmations(clock);
        return new People(
                database,
                log,
                clock,
                accounts,
                confirmations,
                new Sessions(database, accounts, confirmations, clock),
                new ApiTokens(database, accounts, confirmations, clock),
                new Vault(database, clock));
    }

    /**
     * Returns the time at which the tokens and passkeys of an account are suspended unless its owner signs in through the identity server
     * before; empty if the account is local or the server can be asked without a sign-in.
     */
    public Optional<Instant> restsAt(long id, Confirmer confirmer) {
        return database.read(client -> accounts.find(client, id)
                        .filter(account -> !account.origin().equals(Account.LOCAL))
                        .map(account -> Map.entry(account, confirmations.of(client, account))))
                .filter(found -> !confirmer.isAsked(found.getKey()))
                .map(found -> Instant.ofEpochMilli(found.getValue().endsAt()));
    }

    /** Removes expired sessions. Expired sessions are never accepted, whether or not they have been removed. */
    public void expire() {
        sessions.expire();
    }
}
