package io.sluice.center.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The center's database. Every access is a transaction. Thread-safe.
 *
 * <p>Statements run on SQLite and on MariaDB: no generated keys, no {@code FOR UPDATE}. Writers detect each other by primary keys
 * and by revisions, and the loser runs again.
 */
public final class Database implements AutoCloseable {

    /** How often a transaction runs that loses against others. */
    private static final int ATTEMPTS = 10;

    /** How many connections are tried that turn out to be dead. */
    private static final int CONNECTIONS_TRIED = 3;

    /** How the SQL states of broken connections begin. */
    private static final String CONNECTION_FAILED = "08";

    private final DatabaseKind kind;
    private final HikariDataSource writers;
    private final HikariDataSource readers;
    private final TransactionTemplate writing;
    private final TransactionTemplate reading;
    private final JdbcClient writeClient;
    private final JdbcClient readClient;

    private interface SchemaStep {
        void run(Schema schema, Database database) throws DatabaseUnusableException;
    }

    private Database(DatabaseKind kind, HikariDataSource writers, HikariDataSource readers) {
        this.kind = kind;
        this.writers = writers;
        this.readers = readers;
        this.writing = new TransactionTemplate(new JdbcTransactionManager(writers));
        this.reading = new TransactionTemplate(new JdbcTransactionManager(readers));
        this.reading.setReadOnly(true);
        this.reading.setIsolationLevel(kind.readIsolation());
        this.writing.setIsolationLevel(TransactionDefinition.ISOLATION_DEFAULT);
        this.writeClient = JdbcClient.create(writers);
        this.readClient = JdbcClient.create(readers);
    }

    /**
     * Connects, checks the database, and brings its schema up to date. An existing database is saved before its schema changes.
     *
     * @param url a JDBC URL; empty for SQLite in the data directory
     * @throws DatabaseUnusableException if the database cannot be used, with a sentence for the user
     */
    public static Database open(String url, Path data) throws DatabaseUnusableException {
        return open(url, data, Schema::migrate);
    }

    /**
     * Connects to a database that a running center may use. Its schema stays as it is.
     *
     * @throws DatabaseUnusableException if the database cannot be used or has the schema of another program
     */
    public static Database join(String url, Path data) throws DatabaseUnusableException {
        return open(url, data, (schema, database) -> schema.requireCurrent());
    }

    private static Database open(String url, Path data, SchemaStep step) throws DatabaseUnusableException {
        DatabaseKind kind = DatabaseKind.of(url, data);
        @Nullable HikariDataSource writers = null;
        @Nullable HikariDataSource readers = null;
        try {
            kind.prepare(data);
            writers = pool(kind, "writer", kind.writers(), false);
            readers = pool(kind, "reader", kind.readers(), true);
            Database database = new Database(kind, writers, readers);
            kind.check(database.writeClient);
            step.run(new Schema(kind, writers, data.resolve("backups")), database);
            return database;
        } catch (RuntimeException e) {
            close(readers);
            close(writers);
            throw DatabaseUnusableException.of(kind, e);
        } catch (DatabaseUnusableException e) {
            close(readers);
            close(writers);
            throw e;
        }
    }

    /** Runs reads that see one state of the database. */
    public <T> T read(Function<JdbcClient, T> reads) {
        for (int i = 1; ; i++) {
            try {
                T result = reading.execute(status -> reads.apply(readClient));
                return Objects.requireNonNull(result);
            } catch (RuntimeException e) {
                if (i == CONNECTIONS_TRIED || !isBrokenConnection(e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Runs a transaction that writes. If it collides with another, or its connection breaks before it is complete, it runs again
     * from the beginning, so it must not have other effects.
     */
    public <T> T write(Function<JdbcClient, T> writes) {
        for (int i = 1; ; i++) {
            AtomicBoolean complete = new AtomicBoolean();
            try {
                T result = writing.execute(status -> {
                    T written = writes.apply(writeClient);
                    complete.set(true);
                    return written;
                });
                return Objects.requireNonNull(result);
            } catch (DuplicateKeyException | TransientDataAccessException | LostRaceException e) {
                if (i == ATTEMPTS) {
                    throw e;
                }
            } catch (RuntimeException e) {
                // Whether a transaction was stored whose end was not confirmed, nobody knows.
                if (i >= CONNECTIONS_TRIED || complete.get() || !isBrokenConnection(e)) {
                    throw e;
                }
            }
        }
    }

    /** Returns whether a connection was dead, as all are after a restart of the server. Waiting in vain for one is not. */
    private static boolean isBrokenConnection(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException) {
                return false;
            }
            if (cause instanceof SQLException sql
                    && sql.getSQLState() != null
                    && sql.getSQLState().startsWith(CONNECTION_FAILED)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the next id of a kind. Transactions that take ids of the same kind run one after the other. */
    public static long next(JdbcClient client, String counter) {
        client.sql("UPDATE counter SET value = value + 1 WHERE name = ?")
                .param(counter)
                .update();
        return client.sql("SELECT value FROM counter WHERE name = ?")
                .param(counter)
                .query(Long.class)
                .single();
    }

    /** Returns whether a failure means that the database is away or does not accept writes now. */
    public static boolean isUnavailable(RuntimeException failure) {
        return failure instanceof TransactionException
                || (failure instanceof DataAccessException && !(failure instanceof DuplicateKeyException));
    }

    /**
     * Overwrites what changed and deleted rows have left in the files of an embedded database. A server does so on its own, in its
     * own time.
     *
     * @return false if somebody reads from the old files; then call it again later
     */
    public boolean scrub() {
        if (!kind.isEmbedded()) {
            return true;
        }
        try (Connection connection = writers.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM");
            try (ResultSet busy = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
                return busy.next() && busy.getInt(1) == 0;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the database cannot be cleaned: " + e.getMessage(), e);
        }
    }

    DatabaseKind kind() {
        return kind;
    }

    DataSource source() {
        return writers;
    }

    @Override
    public void close() {
        close(readers);
        close(writers);
    }

    private static void close(@Nullable HikariDataSource pool) {
        if (pool != null) {
            pool.close();
        }
    }

    private static HikariDataSource pool(DatabaseKind kind, String name, int connections, boolean readOnly) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("sluice-center-" + name);
        config.setJdbcUrl(kind.url());
        config.setDataSourceProperties(kind.properties(readOnly));
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(kind.patience().toMillis());
        config.setInitializationFailTimeout(kind.patience().toMillis());
        config.setAutoCommit(true);
        config.setThreadFactory(Database::thread);
        if (!kind.isEmbedded()) {
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        }
        return new HikariDataSource(config);
    }

    /** A thread that does not belong to the web application, even if a request needs the first connection. */
    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "sluice-center-database");
        thread.setDaemon(true);
        thread.setContextClassLoader(Database.class.getClassLoader());
        return thread;
    }
}
