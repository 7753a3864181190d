package io.sluice.center.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionDefinition;

/** A database product that can store the center's data, with the settings that it needs. */
sealed interface DatabaseKind {

    /** Returns the kind for a JDBC URL. An empty URL means SQLite in the data directory. */
    static DatabaseKind of(String url, Path data) throws DatabaseUnusableException {
        if (url.isEmpty()) {
            return new Sqlite(data.resolve("center.db"));
        }
        if (url.startsWith("jdbc:sqlite:")) {
            return new Sqlite(Path.of(url.substring("jdbc:sqlite:".length())));
        }
        if (url.startsWith("jdbc:mariadb://")) {
            return new MariaDb(url);
        }
        if (url.startsWith("jdbc:mysql://")) {
            // The driver of MariaDB also supports MySQL.
            return new MariaDb("jdbc:mariadb://" + url.substring("jdbc:mysql://".length()));
        }
        throw new DatabaseUnusableException("db: \"" + withoutSecrets(url)
                + "\" (expected: jdbc:mariadb://host/database?user=…&password=…, jdbc:mysql://… or jdbc:sqlite:FILE)");
    }

    private static String withoutSecrets(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    String url();

    /** Returns the name in messages, without user and password. */
    String name();

    /** Returns advice for a user whose database cannot be used. */
    String advice();

    Properties properties(boolean readOnly);

    boolean isEmbedded();

    int writers();

    int readers();

    /** Returns the maximum time for which a request waits for a connection. */
    Duration patience();

    int readIsolation();

    /**
     * Returns the values of the placeholders in the migrations.
     *
     * @throws IllegalStateException if the product cannot compare texts as bytes
     */
    Map<String, String> placeholders(JdbcClient client);

    void prepare(Path data);

    /** Checks an existing database. */
    void check(JdbcClient client) throws DatabaseUnusableException;

    /** An SQLite file that only this process uses. */
    record Sqlite(Path file) implements DatabaseKind {

        private static final int READERS = 4;

        @Override
        public String url() {
            return "jdbc:sqlite:" + file.toAbsolutePath();
        }

        @Override
        public String name() {
            return file.toString();
        }

        @Override
        public String advice() {
            return "check that the file is readable and the disk not full, or restore a backup (./sluice center restore)";
        }

        @Override
        public Properties properties(boolean readOnly) {
            Properties properties = new Properties();
            properties.setProperty("journal_mode", "WAL");
            // A release that was confirmed survives a loss of power.
            properties.setProperty("synchronous", "FULL");
            properties.setProperty("busy_timeout", Long.toString(patience().toMillis()));
            // A writer takes its lock at the start, so it cannot fail later because another writer was first.
            properties.setProperty("transaction_mode", readOnly ? "DEFERRED" : "IMMEDIATE");
            return properties;
        }

        @Override
        public boolean isEmbedded() {
            return true;
        }

        @Override
        public int writers() {
            return 1;
        }

        @Override
        public int readers() {
            return READERS;
        }

        @Override
        public Duration patience() {
            return Duration.ofSeconds(10);
        }

        @Override
        public int readIsolation() {
            return TransactionDefinition.ISOLATION_DEFAULT;
        }

        @Override
        public Map<String, String> placeholders(JdbcClient client) {
            return Map.of("table_options", "", "on_servers", "--", "byte_order", "");
        }

        @Override
        public void prepare(Path data) {
            SqliteLibrary.load(data);
            if (!Files.exists(file)) {
                create();
            }
        }

        /** Creates the file. SQLite gives its other files the same permissions. */
        private void create() {
            try {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void check(JdbcClient client) throws DatabaseUnusableException {
            String found =
                    client.sql("PRAGMA quick_check(1)").query(String.class).single();
            if (!found.equals("ok")) {
                throw new DatabaseUnusableException(
                        "database " + name() + ": damaged (" + found.replaceAll("\\s+", " ") + "); " + advice());
            }
        }
    }

    /** A server: MariaDB, or MySQL through the same driver. */
    record MariaDb(String url) implements DatabaseKind {

        private static final int CONNECTIONS = 5;

        /** Collations of MariaDB and MySQL that compare texts as bytes. Collations without "nopad" ignore spaces at the end. */
        private static final List<String> BYTE_ORDERS = List.of("utf8mb4_nopad_bin", "utf8mb4_0900_bin");

        @Override
        public String name() {
            return withoutSecrets(url);
        }

        @Override
        public String advice() {
            return "check its address, user and password (--db) and that it is running";
        }

        @Override
        public Properties properties(boolean readOnly) {
            Properties properties = new Properties();
            properties.setProperty("connectTimeout", Long.toString(patience().toMillis()));
            properties.setProperty("socketTimeout", "30000");
            properties.setProperty("useAffectedRows", "false");
            return properties;
        }

        @Override
        public boolean isEmbedded() {
            return false;
        }

        @Override
        public int writers() {
            return CONNECTIONS;
        }

        @Override
        public int readers() {
            return CONNECTIONS;
        }

        @Override
        public Duration patience() {
            return Duration.ofSeconds(3);
        }

        @Override
        public int readIsolation() {
            return TransactionDefinition.ISOLATION_REPEATABLE_READ;
        }

        @Override
        public Map<String, String> placeholders(JdbcClient client) {
            String byteOrder = client.sql("SELECT collation_name FROM information_schema.collations"
                            + " WHERE collation_name IN (?, ?) ORDER BY collation_name DESC LIMIT 1")
                    .params(BYTE_ORDERS)
                    .query(String.class)
                    .optional()
                    .orElseThrow(() -> new IllegalStateException("the server compares texts without the spaces at their"
                            + " end (expected: MariaDB 10.2, MySQL 8.0.17 or later)"));
            return Map.of(
                    "table_options",
                    "ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4 COLLATE = " + byteOrder,
                    "on_servers",
                    "",
                    "byte_order",
                    byteOrder);
        }

        @Override
        public void prepare(Path data) {
            // Nothing to prepare.
        }

        @Override
        public void check(JdbcClient client) {
            client.sql("SELECT 1").query(Integer.class).single();
        }
    }
}
