package io.sluice.center.people;

import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;

/** The people and programs that use a center. */
public record People(
        Database database,
        CommandLog log,
        Clock clock,
        Accounts accounts,
        Sessions sessions,
        ApiTokens tokens,
        Vault vault) {

    public static People of(Database database, CommandLog log, Clock clock) {
        Accounts accounts = new Accounts(clock);
        return new People(
                database,
                log,
                clock,
                accounts,
                new Sessions(database, accounts, clock),
                new ApiTokens(database, accounts, clock),
                new Vault(database, clock));
    }

    /** Removes what has expired. It is worth nothing anyway. */
    public void expire() {
        sessions.expire();
    }
}
