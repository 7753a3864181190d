package io.sluice.center.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The center's database. Every access is a transaction. Thread-safe.
 *
 * <p>Statements run on SQLite and on MariaDB: no generated keys, no {@code FOR UPDATE}. Writers detect each other by primary keys and by
 * revisions, and the transaction that loses runs again.
 */
public final class Database implements AutoCloseable {

    /** The maximum number of runs of a transaction that collides with others. */
    private static final int ATTEMPTS = 10;

    /** The maximum number of connections that are tried after broken ones. */
    private static final int CONNECTIONS_TRIED = 3;

    /** The prefix of the SQL states of broken connections. */
    private static final String CONNECTION_FAILED = "08";

    /** The transaction that the current thread runs. */
    private static final ThreadLocal<@Nullable Attempt<?>> ATTEMPT = new ThreadLocal<>();

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
        this.writing = new TransactionTemplate(new Writing(writers));
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
     * @throws DatabaseUnusableException if the database cannot be used; the message is a sentence for the user
     */
    public static Database open(String url, Path data) throws DatabaseUnusableException {
        return open(url, data, Schema::migrate);
    }

    /**
     * Connects to a database that a running center may use, and leaves its schema unchanged.
     *
     * @throws DatabaseUnusableException if the database cannot be used or has the schema of another version
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

    /** Runs reads on one consistent state of the database. */
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
     * Runs a transaction that writes. If the transaction collides with another one, or its connection breaks before it is stored, it runs
     * again from the beginning, so it must not have other effects. If the connection breaks while the server confirms the transaction, its
     * {@link Receipt} finds out on another connection whether it was stored.
     *
     * @throws OutcomeUnknownException if the connection broke while the server confirmed the transaction, and there is no receipt or the
     *     server cannot be asked
     */
    public <T> T write(Function<JdbcClient, T> writes) {
        if (ATTEMPT.get() != null) {
            // The writes become a part of the transaction that this thread already runs.
            return Objects.requireNonNull(writing.execute(status -> writes.apply(writeClient)));
        }
        for (int i = 1; ; i++) {
            Attempt<T> attempt = new Attempt<>();
            try {
                return attempt.run(writes);
            } catch (RuntimeException e) {
                Optional<T> stored = attempt.stored(e);
                if (stored.isPresent()) {
                    return stored.get();
                }
                if (i >= (isCollision(e) ? ATTEMPTS : isBrokenConnection(e) ? CONNECTIONS_TRIED : 1)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Sets the receipt of the transaction of this thread. Returns false if the transaction already has a receipt, which is sufficient, or
     * if the thread runs no transaction.
     */
    public static boolean prove(Receipt receipt) {
        Attempt<?> attempt = ATTEMPT.get();
        if (attempt == null || attempt.receipt != null) {
            return false;
        }
        attempt.receipt = receipt;
        return true;
    }

    /** Records the reason why a transaction was not confirmed. */
    private static final class Writing extends JdbcTransactionManager {

        private static final long serialVersionUID = 1;

        Writing(DataSource source) {
            super(source);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            try {
                super.doCommit(status);
            } catch (RuntimeException e) {
                Attempt<?> attempt = ATTEMPT.get();
                if (attempt != null) {
                    attempt.failure = e;
                }
                throw e;
            }
        }
    }

    /** One run of a transaction that writes. */
    private final class Attempt<T> {

        private @Nullable T written;
        private @Nullable Receipt receipt;
        private @Nullable RuntimeException failure;

        T run(Function<JdbcClient, T> writes) {
            ATTEMPT.set(this);
            try {
                T result = Objects.requireNonNull(writing.execute(status -> written = applied(writes)));
                confirm();
                return result;
            } catch (RuntimeException e) {
                // A broken connection cannot be rolled back either, and Spring would report that failure instead.
                throw failure == null ? e : failure;
            } finally {
                ATTEMPT.remove();
            }
        }

        private T applied(Function<JdbcClient, T> writes) {
            try {
                return writes.apply(writeClient);
            } catch (RuntimeException e) {
                failure = e;
                throw e;
            }
        }

        /** Returns the result if the transaction was stored although it failed. */
        Optional<T> stored(RuntimeException thrown) {
            T result = written;
            if (result == null || !isStored(thrown)) {
                return Optional.empty();
            }
            confirm();
            return Optional.of(result);
        }

        private void confirm() {
            if (receipt != null) {
                receipt.stored();
            }
        }

        private boolean isStored(RuntimeException thrown) {
            Receipt own = receipt;
            if (own == null && !isBrokenConnection(thrown)) {
                // The server has refused the transaction.
                return false;
            }
            for (int i = 1; own != null; i++) {
                try {
                    return Boolean.TRUE.equals(writing.execute(status -> own.isStored(writeClient)));
                } catch (RuntimeException e) {
                    thrown.addSuppressed(e);
                    if (i == CONNECTIONS_TRIED || isTimeout(e)) {
                        break;
                    }
                }
            }
            throw new OutcomeUnknownException(thrown);
        }
    }

    private static boolean isCollision(RuntimeException failure) {
        return failure instanceof DuplicateKeyException
                || failure instanceof TransientDataAccessException
                || failure instanceof LostRaceException;
    }

    /** Returns whether the server did not answer, or held a lock for too long. */
    private static boolean isTimeout(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException || cause instanceof PessimisticLockingFailureException) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a connection was dead, as all connections are after a restart of the server. A timeout while waiting for a connection
     * does not count.
     */
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

    /** Returns the next id of a kind. Transactions that take ids of the same kind are serialized. */
    public static long next(JdbcClient client, String counter) {
        client.sql("UPDATE counter SET value = value + 1 WHERE name = ?")
                .param(counter)
                .update();
        return client.sql("SELECT value FROM counter WHERE name = ?")
                .param(counter)
                .query(Long.class)
                .single();
    }

    /** Returns whether a failure means that the database is unavailable or currently refuses writes. */
    public static boolean isUnavailable(RuntimeException failure) {
        return failure instanceof TransactionException
                || (failure instanceof DataAccessException && !(failure instanceof DuplicateKeyException));
    }

    /**
     * Overwrites the remains of changed and deleted rows in the files of an embedded database. A server does this on its own schedule.
     *
     * @return false if a reader still uses the old files; call the method again later in that case
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

    /** Creates a thread that does not belong to the web application, even if a request needs the first connection. */
    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "sluice-center-database");
        thread.setDaemon(true);
        thread.setContextClassLoader(Database.class.getClassLoader());
        return thread;
    }
}
