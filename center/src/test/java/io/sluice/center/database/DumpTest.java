package io.sluice.center.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.change.ChangeCommand;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.release.ReleaseCommand;
import io.sluice.center.release.Releases;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.testkit.database.MariaDbServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything can be saved, and brought back on either database. */
class DumpTest {

    private static final Actor ACTOR = new Actor("token:test");

    @TempDir
    Path data;

    @Test
    void movesEverythingFromSqliteToMariaDbAndBack() throws Exception {
        byte[] first;
        try (Database database = open("", "first")) {
            fill(database);
            first = dump(database);
        }
        byte[] second;
        try (Database database = open(MariaDbServer.shared().database(), "second")) {
            assertThat(new Dump(database).read(new ByteArrayInputStream(first))).isPositive();
            second = dump(database);
            // The next ids follow.
            fill(database, "again", 2);
        }
        try (Database database = open("", "third")) {
            new Dump(database).read(new ByteArrayInputStream(second));
            Versions versions = new Versions();
            assertThat(database.read(versions::latestRules).rule("grose")).isPresent();
            assertThat(dump(database)).isEqualTo(first);
        }
    }

    @Test
    void aDatabaseOfTheFirstSchemaIsSavedAndKeepsItsRollouts() throws Exception {
        Path directory = Files.createDirectories(data.resolve("old"));
        DatabaseKind kind = DatabaseKind.of("", directory);
        kind.prepare(directory);
        org.sqlite.SQLiteDataSource source = new org.sqlite.SQLiteDataSource();
        source.setUrl(kind.url());
        new Schema(kind, source, directory).migrateTo("1");
        org.springframework.jdbc.core.simple.JdbcClient.create(source)
                .sql(
                        "INSERT INTO rollout (id, version, state, started_at, ended_at, nodes) VALUES (1, 4, 'done', 5, 6, '')")
                .update();
        try (Database database = open("", "old")) {
            long version =
                    database.read(client -> client.sql("SELECT version FROM rollout WHERE state = 'done' AND step = 0")
                            .query(Long.class)
                            .single());
            assertThat(version).isEqualTo(4);
        }
        try (var files = Files.list(directory.resolve("backups"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void doesNotOverwriteData() throws Exception {
        try (Database database = open("", "first")) {
            fill(database);
            byte[] dump = dump(database);
            assertThatThrownBy(() -> new Dump(database).read(new ByteArrayInputStream(dump)))
                    .isInstanceOf(DatabaseUnusableException.class)
                    .hasMessageContaining("expected: an empty one");
        }
    }

    @Test
    void aDamagedOrIncompleteFileChangesNothing() throws Exception {
        byte[] dump;
        try (Database database = open("", "first")) {
            fill(database);
            dump = dump(database);
        }
        byte[] damaged = dump.clone();
        damaged[dump.length / 2] ^= 0x40;
        try (Database database = open("", "second")) {
            for (byte[] bad : List.of(
                    Arrays.copyOf(dump, dump.length / 2),
                    damaged,
                    new byte[0],
                    "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8))) {
                assertThatThrownBy(() -> new Dump(database).read(new ByteArrayInputStream(bad)))
                        .isInstanceOf(IOException.class);
                assertThat(new Dump(database).isEmpty()).isTrue();
            }
            new Dump(database).read(new ByteArrayInputStream(dump));
        }
    }

    @Test
    void keepsTheNewestBackupsForItsOwnerOnly() throws Exception {
        try (Database database = open("", "first")) {
            fill(database);
            Backups backups = new Backups(database, data.resolve("backups"), Clock.system(), 14);
            Path file = backups.save("test");
            assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
            for (int i = 0; i < 20; i++) {
                backups.save("test-" + (char) ('a' + i));
            }
            try (var files = Files.list(data.resolve("backups"))) {
                assertThat(files).hasSize(14);
            }
        }
    }

    private Database open(String url, String name) throws Exception {
        Path directory = data.resolve(name);
        Files.createDirectories(directory);
        return Database.open(url, directory);
    }

    private static byte[] dump(Database database) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Dump(database).write(out);
        return out.toByteArray();
    }

    private static void fill(Database database) {
        fill(database, "größe", 1);
        int unused = database.write(client -> client.sql("INSERT INTO series_block"
                        + " (step, part, start_at, center, revision, rolled, data) VALUES ('hour', 3, 4, 'c', 5, 1, ?)")
                .param(new byte[] {0, -1, 127, 10})
                .update());
    }

    private static void fill(Database database, String id, long version) {
        Versions versions = new Versions();
        CommandLog log = new CommandLog(Clock.system());
        Changes changes = new Changes(database, versions, log, Clock.system());
        Releases releases = new Releases(database, versions, changes, log, Clock.system(), () -> 0);
        Changes.Reviewed opened = changes.open(
                ACTOR,
                new ChangeCommand.OpenChange(
                        "Überschrift 限流 🚦", "Grund", version - 1, new Edits(List.of(new Edit.Put(rule(id))))));
        assertThat(releases.release(
                                ACTOR,
                                new ReleaseCommand.ReleaseChange(
                                        opened.change().id(),
                                        "",
                                        opened.review().digest(),
                                        OptionalLong.empty()))
                        .version())
                .isEqualTo(version);
    }

    private static Rule rule(String id) {
        RuleDocument document = RuleDocument.parseRule(
                "test",
                "{\"id\":\"" + id.replace("ö", "o").replace("ß", "s")
                        + "\",\"name\":\"限流\",\"limits\":[{\"rate\":\"5/s\"}]}");
        return ((RuleDocument.Accepted) document).rules().get(0);
    }
}
