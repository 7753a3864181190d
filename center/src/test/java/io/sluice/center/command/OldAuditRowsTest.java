package io.sluice.center.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.database.Database;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that were written before there was a tree. */
class OldAuditRowsTest {

    @TempDir
    Path data;

    private final CommandLog log = new CommandLog(QuietClock.at(1_800_000_000_000_000L));
    private Database database;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
        for (int number = 1; number <= 3; number++) {
            sql("INSERT INTO command (number, at, actor, kind, reason, expected, body) VALUES (" + number
                    + ", 5, 'user:a', 'test', 'why', 0, '{}')");
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void eachGetsASaltOfItsOwnSoThatNobodyCanGuessItsContent() {
        addOldRows();
        List<LoggedRow> rows = rows();
        assertThat(rows).hasSize(3).allSatisfy(row -> {
            assertThat(row.salt()).hasSizeGreaterThan(20);
            assertThat(row.isCommitted()).isTrue();
            assertThat(row.hash()).isEqualTo(row.row().hash());
        });
        assertThat(rows.stream().map(LoggedRow::salt).distinct()).hasSize(3);
        assertThat(database.read(AuditTree::head).number()).isEqualTo(3);
        addOldRows();
        assertThat(rows()).isEqualTo(rows);
    }

    @Test
    void aLogThatHasAnIdHasNone() {
        sql("UPDATE audit_head SET log = '0123456789abcdef0123456789abcdef'");
        addOldRows();
        assertThat(rows()).allSatisfy(row -> assertThat(row.hash()).isEmpty());
        assertThat(database.read(AuditTree::head).number()).isZero();
    }

    private void addOldRows() {
        boolean unused = database.write(client -> {
            log.addOldRows(client);
            return true;
        });
    }

    private List<LoggedRow> rows() {
        return database.read(client -> LoggedRow.above(client, 0));
    }

    private void sql(String statement) {
        int unused = database.write(client -> client.sql(statement).update());
    }
}
