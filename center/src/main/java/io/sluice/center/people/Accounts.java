package io.sluice.center.people;

import io.sluice.center.access.Grant;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.database.Database;
import io.sluice.center.database.LostRaceException;
import io.sluice.core.time.Clock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** The table of accounts. Every method runs within a transaction of the caller. */
public final class Accounts {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final String COLUMNS = "id, revision, name, display_name, email, identity, origin, subject,"
            + " password, grants, disabled_at, created_at, changed_at";

    private static final String SELECT = "SELECT " + COLUMNS + " FROM account ";

    private final Clock clock;

    Accounts(Clock clock) {
        this.clock = clock;
    }

    /**
     * The fields of a new account.
     *
     * @param email the e-mail address; may be empty
     * @param subject the name of the account at the identity server; empty if the account is local
     */
    public record Draft(
            String name, String displayName, String email, String origin, String subject, List<Grant> grants) {

        /** Creates a draft of a local account. */
        public static Draft local(String name, String email, List<Grant> grants) {
            return new Draft(name, name, email, Account.LOCAL, "", grants);
        }
    }

    /**
     * Adds an account without a password. Its identity is its e-mail address, or its own name if it has none.
     *
     * @throws org.springframework.dao.DuplicateKeyException if the name is taken
     */
    public Account add(JdbcClient client, Draft draft) {
        return add(client, draft, identity(draft.origin(), Names.account(draft.name()), Names.email(draft.email())));
    }

    /**
     * Adds an account without a password.
     *
     * @param identity the person behind the account
     * @throws org.springframework.dao.DuplicateKeyException if the name is taken
     */
    public Account add(JdbcClient client, Draft draft, String identity) {
        long now = now();
        String name = Names.account(draft.name());
        String email = Names.email(draft.email());
        Account account = new Account(
                Database.next(client, "account"),
                1,
                name,
                draft.displayName(),
                email,
                identity,
                draft.origin(),
                draft.subject(),
                "",
                draft.grants(),
                0,
                now,
                now);
        client.sql("INSERT INTO account (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        account.id(),
                        account.revision(),
                        account.name(),
                        account.displayName(),
                        account.email(),
                        account.identity(),
                        account.origin(),
                        account.subject(),
                        account.password(),
                        JSON.writeValueAsString(GrantsJson.write(account.grants())),
                        account.disabledAt(),
                        account.createdAt(),
                        account.changedAt())
                .update();
        if (account.isEnabledAdministrator()) {
            dropFirstLink(client);
        }
        return account;
    }

    static String identity(String origin, String name, String email) {
        return email.isEmpty() ? origin + ":" + name : email;
    }

    /**
     * Replaces an account and ends its sessions, because they may have rights that the account has lost.
     *
     * @throws LostRaceException if the account was changed since it was read
     */
    public Account replace(JdbcClient client, Account account) {
        boolean wasAdministrator = find(client, account.id())
                .filter(Account::isEnabledAdministrator)
                .isPresent();
        int rows = client.sql("UPDATE account SET revision = ?, display_name = ?, email = ?, identity = ?, subject = ?,"
                        + " password = ?, grants = ?, disabled_at = ?, changed_at = ? WHERE id = ? AND revision = ?")
                .params(
                        account.revision() + 1,
                        account.displayName(),
                        account.email(),
                        account.identity(),
                        account.subject(),
                        account.password(),
                        JSON.writeValueAsString(GrantsJson.write(account.grants())),
                        account.disabledAt(),
                        now(),
                        account.id(),
                        account.revision())
                .update();
        if (rows != 1) {
            throw new LostRaceException("account " + account.id() + ": changed by somebody else");
        }
        client.sql("DELETE FROM session WHERE account = ?").param(account.id()).update();
        if (account.isEnabledAdministrator() && !wasAdministrator) {
            dropFirstLink(client);
        }
        return find(client, account.id()).orElseThrow();
    }

    /** Voids the link that creates the first administrator. The center calls this as soon as it has an administrator. */
    private static void dropFirstLink(JdbcClient client) {
        client.sql("DELETE FROM one_time_link WHERE account = 0").update();
    }

    /** Serializes changes of accounts. A transaction whose outcome depends on other accounts takes this lock first. */
    public void lockAll(JdbcClient client) {
        client.sql("UPDATE counter SET value = value WHERE name = 'account'").update();
    }

    /** Locks an account against changes until the transaction ends. Returns false if the account was changed since it was read. */
    boolean lock(JdbcClient client, Account account) {
        return client.sql("UPDATE account SET revision = revision WHERE id = ? AND revision = ?")
                        .params(account.id(), account.revision())
                        .update()
                == 1;
    }

    /** Returns whether an enabled account other than this one has the role of an administrator. */
    public boolean hasAdministratorBeside(JdbcClient client, long id) {
        return all(client).stream().anyMatch(account -> account.id() != id && account.isEnabledAdministrator());
    }

    public Optional<Account> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(Accounts::row)
                .optional();
    }

    public Optional<Account> named(JdbcClient client, String name) {
        return client.sql(SELECT + "WHERE name = ?")
                .param(Names.lower(name))
                .query(Accounts::row)
                .optional();
    }

    /** Returns the account of a person from an identity server. */
    public Optional<Account> from(JdbcClient client, String origin, String subject) {
        return client.sql(SELECT + "WHERE origin = ? AND subject = ?")
                .params(origin, subject)
                .query(Accounts::row)
                .optional();
    }

    public List<Account> all(JdbcClient client) {
        return client.sql(SELECT + "ORDER BY name").query(Accounts::row).list();
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }

    private static Account row(ResultSet row, int index) throws SQLException {
        return new Account(
                row.getLong(1),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                GrantsJson.read(JSON.readTree(row.getString(10))),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13));
    }
}
