package io.sluice.center.people;

import io.sluice.center.database.Database;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The sessions of signed-in people. Only hashes of their ids are stored. Thread-safe. */
public final class Sessions {

    /** The maximum lifetime of a session. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** The maximum time without use, after which a session ends. */
    public static final Duration LONGEST_IDLE = Duration.ofHours(2);

    private static final Duration SEEN_EVERY = Duration.ofMinutes(1);
    private static final Duration EXPIRE_EVERY = Duration.ofMinutes(1);

    private final Database database;
    private final Accounts accounts;
    private final Confirmations confirmations;
    private final Clock clock;
    private volatile long expireNext;

    Sessions(Database database, Accounts accounts, Confirmations confirmations, Clock clock) {
        this.database = database;
        this.accounts = accounts;
        this.confirmations = confirmations;
        this.clock = clock;
    }

    /**
     * Starts a session and returns its id, which is stored nowhere else.
     *
     * @throws RefusedException if the account was changed since it was read, because its password or roles may be different now
     */
    public String begin(Account account, String authority) {
        return begin(account, new Factor(authority, now()));
    }

    /**
     * Starts a session with a factor that was presented earlier, at an identity server.
     *
     * @throws RefusedException if the account was changed since it was read
     */
    public String begin(Account account, Factor factor) {
        return database.write(client -> begin(client, account, factor, ""));
    }

    /**
     * Starts a session within a transaction of the caller, with a factor that was presented earlier.
     *
     * @param serverSession a hash of the session at the identity server; empty if there is none
     */
    public String begin(JdbcClient client, Account account, Factor factor, String serverSession) {
        if (!accounts.lock(client, account)) {
            throw RefusedException.conflict("account: changed in the meantime (expected: sign in again)");
        }
        return add(client, new Row(account.id(), Factor.write(List.of(factor)), now(), now(), serverSession));
    }

    /** Adds a factor to a session. The session continues under a new id, which is returned; empty if the session has ended. */
    public Optional<String> stepUp(String id, String authority) {
        return database.write(client -> stepUp(client, id, new Factor(authority, now()), ""));
    }

    /**
     * Adds a factor that was presented earlier, at an identity server, within a transaction of the caller.
     *
     * @param serverSession a hash of the session at the identity server; empty if it is still the same, or there is none
     */
    public Optional<String> stepUp(JdbcClient client, String id, Factor factor, String serverSession) {
        // Each change of an account locks its row first, and so does this method. The change ends the session before or
        // after this step.
        Optional<Row> row = row(client, id)
                .filter(old -> accounts.find(client, old.account())
                        .filter(account -> accounts.lock(client, account))
                        .isPresent())
                .filter(old -> delete(client, id) == 1);
        return row.map(old -> add(
                client,
                new Row(
                        old.account(),
                        Factor.write(factor.addedTo(Factor.read(old.factors()))),
                        old.createdAt(),
                        now(),
                        serverSession.isEmpty() ? old.serverSession() : serverSession)));
    }

    /** Returns a session that has not ended, without recording its use. A page that is only left open does not extend the session. */
    public Optional<Session> look(String id) {
        return session(database.read(client -> row(client, id)));
    }

    private Optional<Session> session(Optional<Row> row) {
        return row.flatMap(found -> database.read(client -> accounts.find(client, found.account())
                        .filter(account -> confirmations.isUsable(client, account))))
                .map(account ->
                        new Session(account, Factor.read(row.orElseThrow().factors())));
    }

    /** Returns a session that has not ended. */
    public Optional<Session> find(String id) {
        Optional<Row> row = database.read(client -> row(client, id));
        Optional<Session> session = session(row);
        if (session.isPresent() && now() - row.orElseThrow().seenAt() > SEEN_EVERY.toMillis()) {
            database.write(client -> client.sql("UPDATE session SET seen_at = ? WHERE hash = ?")
                    .params(now(), Secrets.hash(id))
                    .update());
        }
        return session;
    }

    /** Returns the account of a session, without recording the use of the session. */
    public Optional<Account> owner(JdbcClient client, String id) {
        return row(client, id).flatMap(found -> accounts.find(client, found.account()));
    }

    public void end(JdbcClient client, String id) {
        int unused = delete(client, id);
    }

    /** Ends all sessions of an account. Returns the number of sessions. */
    public int endAll(JdbcClient client, long account) {
        return client.sql("DELETE FROM session WHERE account = ?")
                .param(account)
                .update();
    }

    /**
     * Ends the sessions of an account that were started from one session at its identity server. Returns the number of sessions.
     *
     * @param serverSession the hash of the session at the identity server
     */
    public int endOf(JdbcClient client, long account, String serverSession) {
        return client.sql("DELETE FROM session WHERE account = ? AND server_session = ?")
                .params(account, serverSession)
                .update();
    }

    /** Returns the accounts with sessions that were started from one session at an identity server. */
    public List<Long> accountsOf(JdbcClient client, String serverSession) {
        return client.sql("SELECT DISTINCT account FROM session WHERE server_session = ?")
                .param(serverSession)
                .query(Long.class)
                .list();
    }

    /** Ends all sessions of an account except one. */
    public void endOthers(JdbcClient client, long account, String id) {
        client.sql("DELETE FROM session WHERE account = ? AND hash <> ?")
                .params(account, Secrets.hash(id))
                .update();
    }

    /** Removes sessions that have expired, at most once a minute. */
    void expire() {
        long now = now();
        if (now < expireNext) {
            return;
        }
        expireNext = now + EXPIRE_EVERY.toMillis();
        database.write(client -> client.sql("DELETE FROM session WHERE created_at < ? OR seen_at < ?")
                .params(now() - LONGEST.toMillis(), now() - LONGEST_IDLE.toMillis())
                .update());
    }

    private record Row(long account, String factors, long createdAt, long seenAt, String serverSession) {}

    private Optional<Row> row(JdbcClient client, String id) {
        return client.sql("SELECT account, factors, created_at, seen_at, server_session FROM session WHERE hash = ?"
                        + " AND created_at >= ? AND seen_at >= ?")
                .params(Secrets.hash(id), now() - LONGEST.toMillis(), now() - LONGEST_IDLE.toMillis())
                .query((row, index) ->
                        new Row(row.getLong(1), row.getString(2), row.getLong(3), row.getLong(4), row.getString(5)))
                .optional();
    }

    private static String add(JdbcClient client, Row row) {
        String id = Secrets.random();
        client.sql("INSERT INTO session (hash, account, factors, created_at, seen_at, server_session)"
                        + " VALUES (?, ?, ?, ?, ?, ?)")
                .params(
                        Secrets.hash(id),
                        row.account(),
                        row.factors(),
                        row.createdAt(),
                        row.seenAt(),
                        row.serverSession())
                .update();
        return id;
    }

    private static int delete(JdbcClient client, String id) {
        return client.sql("DELETE FROM session WHERE hash = ?")
                .param(Secrets.hash(id))
                .update();
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
