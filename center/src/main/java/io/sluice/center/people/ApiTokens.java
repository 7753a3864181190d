package io.sluice.center.people;

import io.sluice.center.access.Access;
import io.sluice.center.access.Scope;
import io.sluice.center.command.Actor;
import io.sluice.center.database.Database;
import io.sluice.center.database.LostRaceException;
import io.sluice.core.time.Clock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tokens of programs. Only their hashes are stored. Thread-safe. */
public final class ApiTokens {

    /** The default lifetime of a token. */
    public static final Duration USUAL = Duration.ofDays(90);

    /** The maximum lifetime of a token. */
    public static final Duration LONGEST = Duration.ofDays(366);

    /** The prefix of each token. Secret scanners recognize tokens by it. */
    private static final String PREFIX = "slc_";

    private static final Duration USED_EVERY = Duration.ofMinutes(1);

    private static final String SELECT =
            "SELECT id, name, account, scopes, tenant, created_at, expires_at, used_at, revoked_at FROM api_token ";

    private final Database database;
    private final Accounts accounts;
    private final Confirmations confirmations;
    private final Clock clock;

    ApiTokens(Database database, Accounts accounts, Confirmations confirmations, Clock clock) {
        this.database = database;
        this.accounts = accounts;
        this.confirmations = confirmations;
        this.clock = clock;
    }

    /** A new token, with its secret. */
    public record Created(ApiToken token, String secret) {

        @Override
        public String toString() {
            return "Created[" + token + "]";
        }
    }

    /**
     * Creates a token.
     *
     * @param account the account that owns the token; 0 for the machine itself
     */
    public Created create(
            JdbcClient client, long account, String name, Set<Scope> scopes, Optional<String> tenant, long expiresAt) {
        String secret = PREFIX + Secrets.random();
        long id = Database.next(client, "api_token");
        client.sql("INSERT INTO api_token (id, hash, name, account, scopes, tenant, created_at, expires_at, used_at,"
                        + " revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)")
                .params(id, Secrets.hash(secret), name, account, words(scopes), tenant.orElse(""), now(), expiresAt)
                .update();
        return new Created(find(client, id).orElseThrow(), secret);
    }

    /** Returns the current rights of the bearer of a token; empty if the token is not valid. */
    public Optional<Access> access(String secret) {
        if (!secret.startsWith(PREFIX)) {
            return Optional.empty();
        }
        Optional<ApiToken> token =
                database.read(client -> client.sql(SELECT + "WHERE hash = ? AND revoked_at = 0 AND expires_at > ?")
                        .params(Secrets.hash(secret), now())
                        .query(ApiTokens::row)
                        .optional());
        Optional<Access> access = token.flatMap(found -> database.read(client -> access(client, found)));
        if (access.isPresent()) {
            touch(token.orElseThrow());
        }
        return access;
    }

    /** Returns the current rights of the bearer of a token; empty if the token is not valid. */
    public Optional<Access> access(JdbcClient client, long id) {
        return find(client, id)
                .filter(token -> token.revokedAt() == 0 && token.expiresAt() > now())
                .flatMap(token -> access(client, token));
    }

    /**
     * A known token that cannot be used.
     *
     * @param why the reason, in a few words
     */
    public record Invalid(long id, String why) {}

    /** Returns a token that cannot be used, with the reason; empty if the token is unknown. */
    public Optional<Invalid> invalid(JdbcClient client, String secret) {
        return client.sql(SELECT + "WHERE hash = ?")
                .param(Secrets.hash(secret))
                .query(ApiTokens::row)
                .optional()
                .map(token -> new Invalid(
                        token.id(),
                        token.revokedAt() != 0
                                ? "the token is revoked"
                                : token.expiresAt() <= now() ? "the token has expired" : owner(client, token)));
    }

    /** Returns the reason why the owner of a token cannot use it, in a few words. */
    private String owner(JdbcClient client, ApiToken token) {
        return accounts.find(client, token.account())
                .filter(account -> !account.isDisabled())
                .flatMap(account -> confirmations.problem(client, account))
                .map(why -> "its owner cannot use it: " + why)
                .orElse("its owner is disabled");
    }

    private Optional<Access> access(JdbcClient client, ApiToken token) {
        Optional<Account> owner =
                accounts.find(client, token.account()).filter(account -> confirmations.isUsable(client, account));
        if (owner.isEmpty() && !token.scopes().contains(Scope.NODE)) {
            return Optional.empty();
        }
        String name = "token:" + token.id();
        return Optional.of(new Access(
                owner.map(account -> new Actor(name, account.identity())).orElseGet(() -> new Actor(name)),
                token.account(),
                owner.map(Account::grants).orElse(List.of()),
                Optional.of(owner.isEmpty() ? Set.of(Scope.NODE) : token.scopes()),
                token.tenant()));
    }

    /** Records the use of a token, at most once a minute. */
    private void touch(ApiToken token) {
        if (now() - token.usedAt() > USED_EVERY.toMillis()) {
            database.write(client -> client.sql("UPDATE api_token SET used_at = ? WHERE id = ?")
                    .params(now(), token.id())
                    .update());
        }
    }

    public Optional<ApiToken> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(ApiTokens::row)
                .optional();
    }

    /** Returns all tokens, newest first. */
    public List<ApiToken> all(JdbcClient client) {
        return client.sql(SELECT + "ORDER BY id DESC").query(ApiTokens::row).list();
    }

    /**
     * Revokes a token.
     *
     * @throws LostRaceException if the token was revoked in the meantime
     */
    public void revoke(JdbcClient client, long id) {
        int rows = client.sql("UPDATE api_token SET revoked_at = ? WHERE id = ? AND revoked_at = 0")
                .params(now(), id)
                .update();
        if (rows != 1) {
            throw new LostRaceException("token " + id + ": revoked by somebody else");
        }
    }

    private static String words(Set<Scope> scopes) {
        return scopes.stream().map(Scope::word).sorted().collect(Collectors.joining(" "));
    }

    private static Set<Scope> scopes(String words) {
        return words.isEmpty()
                ? EnumSet.noneOf(Scope.class)
                : Arrays.stream(words.split(" ", -1))
                        .map(word -> Scope.find(word).orElseThrow())
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Scope.class)));
    }

    private static ApiToken row(ResultSet row, int index) throws SQLException {
        String tenant = row.getString(5);
        return new ApiToken(
                row.getLong(1),
                row.getString(2),
                row.getLong(3),
                scopes(row.getString(4)),
                tenant.isEmpty() ? Optional.empty() : Optional.of(tenant),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9));
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
