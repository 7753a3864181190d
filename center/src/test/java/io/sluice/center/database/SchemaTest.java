package io.sluice.center.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.command.CommandLog;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.people.People;
import io.sluice.core.time.Clock;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A database that an earlier version made becomes the same as a new one, and texts compare as bytes in both. */
class SchemaTest {

    private static final String MARIADB_COLUMNS =
            "SELECT table_name, column_name, ordinal_position, column_default, is_nullable, column_type,"
                    + " character_set_name, collation_name FROM information_schema.columns"
                    + " WHERE table_schema = DATABASE() AND table_name <> 'sluice_schema' ORDER BY 1, 3";

    private static final String MARIADB_INDEXES =
            "SELECT table_name, index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics"
                    + " WHERE table_schema = DATABASE() AND table_name <> 'sluice_schema' ORDER BY 1, 2, 3";

    private static final String SQLITE =
            "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sluice_schema%' ORDER BY name";

    @TempDir
    Path data;

    @Test
    void anEarlierDatabaseBecomesTheSameOnMariaDb() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        String old = server.database();
        asBefore(old, data.resolve("old"));
        DataSource source = new DriverManagerDataSource(old);
        JdbcClient client = JdbcClient.create(source);
        // Texts of these versions compared without the spaces at their end.
        for (String table : client.sql(
                        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
                                + " AND table_name <> 'sluice_schema'")
                .query(String.class)
                .list()) {
            client.sql("ALTER TABLE " + table + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
                    .update();
        }
        assertThat(subjects(client, "ann ")).isEqualTo(1);
        assertThat(Migrations.areIn(client)).isFalse();
        List<Map<String, Object>> accounts =
                client.sql("SELECT * FROM account").query().listOfRows();
        try (Database upgraded = Database.open(old, data.resolve("old"));
                Database fresh = Database.open(server.database(), Files.createDirectories(data.resolve("new")))) {
            assertThat(Migrations.areIn(client)).isTrue();
            for (String question : List.of(MARIADB_COLUMNS, MARIADB_INDEXES)) {
                assertThat(rows(upgraded, question)).isNotEmpty().isEqualTo(rows(fresh, question));
            }
            assertThat(rows(upgraded, MARIADB_COLUMNS))
                    .filteredOn(column -> column.get("collation_name") != null)
                    .isNotEmpty()
                    .allMatch(column -> column.get("collation_name").equals("utf8mb4_nopad_bin"))
                    // A CHAR column loses the spaces at its end.
                    .noneMatch(
                            column -> String.valueOf(column.get("column_type")).startsWith("char"));
            assertThat(rows(upgraded, "SELECT * FROM account")).isEqualTo(accounts);
            compareAsBytes(upgraded);
            compareAsBytes(fresh);
        }
    }

    @Test
    void anEarlierDatabaseBecomesTheSameOnSqlite() throws Exception {
        asBefore("", data.resolve("old"));
        try (Database upgraded = Database.open("", data.resolve("old"));
                Database fresh = Database.open("", Files.createDirectories(data.resolve("new")))) {
            assertThat(rows(upgraded, SQLITE)).isNotEmpty().isEqualTo(rows(fresh, SQLITE));
            assertThat(rows(upgraded, SQLITE).toString()).doesNotContainIgnoringCase("collate");
            compareAsBytes(upgraded);
            compareAsBytes(fresh);
        }
    }

    /** Such a database is left to Flyway, which migrates it or explains what is wrong with it. */
    @Test
    void aDatabaseWithOtherMigrationsIsNotTakenForACurrentOne() throws Exception {
        try (Database database = Database.open("", data)) {
            assertThat(database.read(Migrations::areIn)).isTrue();
            for (String change : List.of(
                    "UPDATE sluice_schema SET checksum = 1 WHERE version = '5'",
                    "UPDATE sluice_schema SET checksum = NULL WHERE version = '5'",
                    "UPDATE sluice_schema SET success = 0 WHERE version = '5'",
                    "DELETE FROM sluice_schema WHERE version = '13'",
                    "INSERT INTO sluice_schema SELECT 99, '99', 'later', type, script, 1, installed_by, installed_on,"
                            + " execution_time, success FROM sluice_schema WHERE version = '1'",
                    "DROP TABLE sluice_schema")) {
                assertThat(database.<Boolean>write(client -> {
                            client.sql("SAVEPOINT before").update();
                            client.sql(change).update();
                            boolean same = Migrations.areIn(client);
                            client.sql("ROLLBACK TO before").update();
                            return same;
                        }))
                        .as(change)
                        .isFalse();
            }
            assertThat(database.read(Migrations::areIn)).isTrue();
        }
    }

    /** Makes a database of the schema before, with an account. */
    private static void asBefore(String url, Path directory) throws Exception {
        Files.createDirectories(directory);
        DatabaseKind kind = DatabaseKind.of(url, directory);
        kind.prepare(directory);
        DataSource source = new DriverManagerDataSource(kind.url());
        new Schema(kind, source, directory).migrateTo("11");
        JdbcClient.create(source)
                .sql(
                        "INSERT INTO account (id, revision, name, display_name, email, identity, origin, subject, password,"
                                + " grants, disabled_at, created_at, changed_at) VALUES (100, 1, 'old', 'Old', '', 'idp#ann',"
                                + " 'idp', 'ann', '', '[]', 0, 1, 1)")
                .update();
    }

    private static long subjects(JdbcClient client, String subject) {
        return client.sql("SELECT COUNT(*) FROM account WHERE subject = ?")
                .param(subject)
                .query(Long.class)
                .single();
    }

    private static List<Map<String, Object>> rows(Database database, String question) {
        return database.read(client -> client.sql(question).query().listOfRows());
    }

    private static void compareAsBytes(Database database) {
        People people = People.of(database, new CommandLog(Clock.system()), Clock.system());
        List<String> subjects =
                List.of("bob", "bob ", "bob  ", " bob", "Bob", "bob\t", "b\u00f6b", "bo\u0308b", "bob\u0000");
        for (String subject : subjects) {
            Account added = database.write(client -> people.accounts()
                    .add(
                            client,
                            new Accounts.Draft(
                                    "bob" + subjects.indexOf(subject),
                                    "Bob",
                                    "",
                                    "idp",
                                    subject,
                                    List.of(Grant.of(Role.VIEWER)))));
            assertThat(added.subject()).isEqualTo(subject);
        }
        for (String subject : subjects) {
            Optional<Account> found = database.read(client -> people.accounts().from(client, "idp", subject));
            assertThat(found.map(Account::name)).contains("bob" + subjects.indexOf(subject));
        }
        List<Optional<Account>> others = database.read(client -> List.of(
                people.accounts().from(client, "idp ", "bob"), people.accounts().from(client, "idp", "bob   ")));
        assertThat(others).containsOnly(Optional.empty());
    }
}
