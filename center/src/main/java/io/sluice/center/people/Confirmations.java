package io.sluice.center.people;

import io.sluice.core.time.Clock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of confirmations by identity servers. Every method runs within a transaction of the caller. */
public final class Confirmations {

    private static final String SELECT = "SELECT account, confirmed_at, asked_at, refresh_token FROM confirmation ";

    /** Selects accounts that can act: accounts with a role, a session, a passkey, or a token that has not ended. */
    private static final String DUE = "SELECT a.id FROM account a LEFT JOIN confirmation c ON c.account = a.id"
            + " WHERE a.origin = ? AND a.disabled_at = 0 AND COALESCE(c.asked_at, 0) <= ?"
            + " AND (a.grants <> '[]' OR EXISTS (SELECT 1 FROM session s WHERE s.account = a.id)"
            + " OR EXISTS (SELECT 1 FROM passkey p WHERE p.account = a.id)"
            + " OR EXISTS (SELECT 1 FROM api_token t WHERE t.account = a.id AND t.revoked_at = 0 AND t.expires_at > ?))";

    private final Clock clock;

    Confirmations(Clock clock) {
        this.clock = clock;
    }

    /**
     * Returns the stored confirmation of an account from an identity server. An account without one counts as confirmed at its last change.
     */
    public Confirmation of(JdbcClient client, Account account) {
        return find(client, account.id()).orElseGet(() -> new Confirmation(account.id(), account.changedAt(), 0, ""));
    }

    /** Returns whether an account can be used: it is enabled, and its identity server, if it has one, has confirmed it recently. */
    public boolean isUsable(JdbcClient client, Account account) {
        return problem(client, account).isEmpty();
    }

    /** Returns the reason why an account cannot be used, in a few words; empty if it can be used. */
    public Optional<String> problem(JdbcClient client, Account account) {
        if (account.isDisabled()) {
            return Optional.of("the account is disabled");
        }
        if (account.origin().equals(Account.LOCAL)) {
            return Optional.empty();
        }
        if (account.grants().isEmpty()) {
            return Optional.of("the account has no role at " + account.origin() + " any more");
        }
        Confirmation confirmation = of(client, account);
        if (!confirmation.hasEnded(now())) {
            return Optional.empty();
        }
        return Optional.of(
                confirmation.confirmedAt() == 0
                        ? account.origin() + " no longer confirms the account; a sign-in through it does so again"
                        : account.origin() + " has not confirmed the account for " + Confirmation.LIFE.toHours()
                                + " hours; a sign-in through it does so again");
    }

    /**
     * Returns accounts of a server whose confirmation is due, those with the oldest question first.
     *
     * @param before the latest time of the last question, in milliseconds since the epoch
     * @param hasToken true to return only accounts with a refresh token
     */
    public List<Long> due(JdbcClient client, String origin, long before, boolean hasToken, int max) {
        return client.sql(DUE + (hasToken ? " AND c.refresh_token <> ''" : "")
                        + " ORDER BY COALESCE(c.asked_at, 0), a.id LIMIT " + max)
                .params(origin, before, now())
                .query(Long.class)
                .list();
    }

    /** Records that a server is being asked. Returns false if another thread or center has recorded this since the row was read. */
    public boolean claim(JdbcClient client, Confirmation seen) {
        if (find(client, seen.account()).isEmpty()) {
            insert(client, new Confirmation(seen.account(), seen.confirmedAt(), now(), ""));
            return true;
        }
        return client.sql("UPDATE confirmation SET asked_at = ? WHERE account = ? AND asked_at = ?")
                        .params(now(), seen.account(), seen.askedAt())
                        .update()
                == 1;
    }

    /**
     * Stores that a server has confirmed a person.
     *
     * @param refreshToken the encrypted token for the next question; empty if there is none
     */
    public void confirm(JdbcClient client, long account, String refreshToken) {
        put(client, new Confirmation(account, now(), now(), refreshToken));
    }

    /** Stores that a server no longer confirms a person, and ends the sessions of the account. */
    public void withdraw(JdbcClient client, long account) {
        put(client, new Confirmation(account, 0, now(), ""));
        client.sql("DELETE FROM session WHERE account = ?").param(account).update();
    }

    /** Makes the next question about an account due immediately. */
    public void askSoon(JdbcClient client, long account) {
        client.sql("UPDATE confirmation SET asked_at = 0 WHERE account = ?")
                .param(account)
                .update();
    }

    private void put(JdbcClient client, Confirmation row) {
        int rows = client.sql(
                        "UPDATE confirmation SET confirmed_at = ?, asked_at = ?, refresh_token = ? WHERE account = ?")
                .params(row.confirmedAt(), row.askedAt(), row.refreshToken(), row.account())
                .update();
        if (rows == 0 && find(client, row.account()).isEmpty()) {
            insert(client, row);
        }
    }

    private static void insert(JdbcClient client, Confirmation row) {
        client.sql("INSERT INTO confirmation (account, confirmed_at, asked_at, refresh_token) VALUES (?, ?, ?, ?)")
                .params(row.account(), row.confirmedAt(), row.askedAt(), row.refreshToken())
                .update();
    }

    private static Optional<Confirmation> find(JdbcClient client, long account) {
        return client.sql(SELECT + "WHERE account = ?")
                .param(account)
                .query(Confirmations::row)
                .optional();
    }

    private static Confirmation row(ResultSet row, int index) throws SQLException {
        return new Confirmation(row.getLong(1), row.getLong(2), row.getLong(3), row.getString(4));
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
