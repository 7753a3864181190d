package io.sluice.center.people;

import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Secrets for one use: links that set up an account, and sign-in ceremonies that wait for their answer. Only hashes of the secrets are
 * stored. Thread-safe.
 */
public final class Vault {

    private final Database database;
    private final Clock clock;

    Vault(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /**
     * Creates a link that sets up an account, and voids earlier links of the account.
     *
     * @param account the account; 0 for the first administrator
     * @return the secret in the link
     */
    public String link(JdbcClient client, long account, Duration life) {
        String secret = Secrets.random();
        client.sql("DELETE FROM one_time_link WHERE account = ? OR expires_at <= ?")
                .params(account, now())
                .update();
        client.sql("INSERT INTO one_time_link (hash, account, expires_at) VALUES (?, ?, ?)")
                .params(Secrets.hash(secret), account, now() + life.toMillis())
                .update();
        return secret;
    }

    /** Makes the links of an account invalid. */
    public void dropLinks(JdbcClient client, long account) {
        client.sql("DELETE FROM one_time_link WHERE account = ?").param(account).update();
    }

    /** Returns the account of a valid link, without using the link. */
    public Optional<Long> look(JdbcClient client, String secret) {
        return client.sql("SELECT account FROM one_time_link WHERE hash = ? AND expires_at > ?")
                .params(Secrets.hash(secret), now())
                .query(Long.class)
                .optional();
    }

    /** Returns the account of a valid link, and makes the link invalid. */
    public Optional<Long> use(JdbcClient client, String secret) {
        Optional<Long> account = look(client, secret);
        boolean mine = client.sql("DELETE FROM one_time_link WHERE hash = ?")
                        .param(Secrets.hash(secret))
                        .update()
                == 1;
        return account.filter(found -> mine);
    }

    /** Stores the body of a ceremony until its answer arrives. Returns the secret that finds it. */
    public String begin(String kind, String body, Duration life) {
        String secret = Secrets.random();
        database.write(client -> {
            client.sql("DELETE FROM ceremony WHERE expires_at <= ?")
                    .param(now())
                    .update();
            return client.sql("INSERT INTO ceremony (hash, kind, body, expires_at) VALUES (?, ?, ?, ?)")
                    .params(Secrets.hash(secret), kind, body, now() + life.toMillis())
                    .update();
        });
        return secret;
    }

    /** Returns the body of a ceremony that {@link #finish} has not returned yet. */
    public Optional<String> look(String kind, String secret) {
        return database.read(
                client -> client.sql("SELECT body FROM ceremony WHERE hash = ? AND kind = ? AND expires_at > ?")
                        .params(Secrets.hash(secret), kind, now())
                        .query(String.class)
                        .optional());
    }

    /**
     * Returns whether a name is presented for the first time.
     *
     * @param name the name that counts only once
     * @param life the time during which the name could be presented again
     */
    public boolean isFirst(String kind, String name, Duration life) {
        String hash = Secrets.hash(kind + " " + name);
        return database.write(client -> {
            boolean isNew = client.sql("SELECT COUNT(*) FROM ceremony WHERE hash = ?")
                            .param(hash)
                            .query(Long.class)
                            .single()
                    == 0;
            if (isNew) {
                client.sql("INSERT INTO ceremony (hash, kind, body, expires_at) VALUES (?, ?, '', ?)")
                        .params(hash, kind, now() + life.toMillis())
                        .update();
            }
            return isNew;
        });
    }

    /** Returns the body of a ceremony, once. */
    public Optional<String> finish(String kind, String secret) {
        return database.write(client -> {
            Optional<String> body = client.sql(
                            "SELECT body FROM ceremony WHERE hash = ? AND kind = ? AND expires_at > ?")
                    .params(Secrets.hash(secret), kind, now())
                    .query(String.class)
                    .optional();
            boolean mine = client.sql("DELETE FROM ceremony WHERE hash = ? AND kind = ?")
                            .params(Secrets.hash(secret), kind)
                            .update()
                    == 1;
            return body.filter(found -> mine);
        });
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
