package io.sluice.center.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.command.RefusalLog.Caller;
import io.sluice.center.command.RefusalLog.Refusal;
import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals become rows, as long as nobody floods the log with them. */
class RefusalLogTest {

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private Database database;
    private RefusalLog refusals;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
        refusals = new RefusalLog(database, new CommandLog(clock), clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aRefusalIsARowWithItsAddress() {
        refuse(Caller.KNOWN, RefusalLog.REQUEST, "192.0.2.1");
        assertThat(rows()).containsExactly("user:ann 192.0.2.1 request refused {\"why\":\"no right\"}");
    }

    @Test
    void oneNetworkNeverGetsMoreRowsThanItsShare() {
        for (int i = 0; i < 70; i++) {
            refuse(Caller.STRANGER, RefusalLog.SIGN_IN, "2001:db8::" + Integer.toHexString(i + 1));
        }
        refuse(Caller.STRANGER, RefusalLog.SIGN_IN, "2001:db8:0:1::1");
        refuse(Caller.STRANGER, RefusalLog.REQUEST, "2001:db8::1");
        assertThat(rows()).hasSize(RefusalLog.MOST_FROM_ONE + 2);
        refusals.tell();
        assertThat(rows()).as("the minute is not over").hasSize(RefusalLog.MOST_FROM_ONE + 2);
        clock.advance(Duration.ofMinutes(1));
        refusals.tell();
        assertThat(rows())
                .hasSize(RefusalLog.MOST_FROM_ONE + 3)
                .last()
                .asString()
                .isEqualTo("center  sign_in refused {\"more\":50,\"since\":\"2027-01-15T08:00:00Z\"}");
        refusals.tell();
        refuse(Caller.STRANGER, RefusalLog.SIGN_IN, "2001:db8::1");
        assertThat(rows()).as("a new minute").hasSize(RefusalLog.MOST_FROM_ONE + 4);
    }

    @Test
    void strangersNeverUseUpTheRowsOfOthers() {
        for (int i = 0; i < 1_000; i++) {
            refuse(Caller.STRANGER, RefusalLog.REQUEST, "10.0." + i / 250 + "." + i % 250);
        }
        assertThat(rows()).hasSize(RefusalLog.MOST);
        refuse(Caller.KNOWN, RefusalLog.REQUEST, "10.0.0.1");
        assertThat(rows()).hasSize(RefusalLog.MOST + 1);
    }

    @Test
    void strangersNeverFillTheDisk() {
        int rows = 0;
        for (int minute = 0; minute < 60; minute++) {
            for (int i = 0; i < 300; i++) {
                rows += refusals.admits(Caller.STRANGER, RefusalLog.REQUEST, "10.1." + i / 250 + "." + i % 250) ? 1 : 0;
            }
            clock.advance(Duration.ofMinutes(1));
        }
        int full = RefusalLog.MANY_A_DAY / RefusalLog.MOST;
        assertThat(rows).isEqualTo(RefusalLog.MANY_A_DAY + (60 - full) * RefusalLog.MOST_FROM_ONE);
        assertThat(refusals.admits(Caller.KNOWN, RefusalLog.REQUEST, "10.1.0.1"))
                .isTrue();
    }

    @Test
    void whatIsOnlyCountedIsNotLookedUp() {
        AtomicInteger asked = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            refusals.add(Caller.STRANGER, RefusalLog.REQUEST, "192.0.2.1", () -> {
                asked.incrementAndGet();
                return new Refusal(Actor.NOBODY, Map.of());
            });
        }
        assertThat(asked).hasValue(RefusalLog.MOST_FROM_ONE);
    }

    @Test
    void theNextRefusalTellsTheNumberOfTheOthersToo() {
        for (int i = 0; i < 23; i++) {
            refuse(Caller.STRANGER, RefusalLog.REQUEST, "192.0.2.1");
        }
        clock.advance(Duration.ofMinutes(5));
        refuse(Caller.STRANGER, RefusalLog.REQUEST, "192.0.2.1");
        assertThat(rows().get(RefusalLog.MOST_FROM_ONE)).contains("\"more\":3");
        assertThat(rows()).hasSize(RefusalLog.MOST_FROM_ONE + 2);
    }

    @Test
    void nothingIsLostWhenTheCenterStops() {
        for (int i = 0; i < 21; i++) {
            refuse(Caller.STRANGER, RefusalLog.REQUEST, "192.0.2.1");
        }
        refusals.close();
        assertThat(rows()).last().asString().contains("\"more\":1");
    }

    @Test
    void whatHappensWhileTheDatabaseIsAwayIsCounted() {
        sql("ALTER TABLE command RENAME TO away");
        for (int i = 0; i < 10; i++) {
            refuse(Caller.KNOWN, RefusalLog.REQUEST, "192.0.2.1");
            clock.advance(Duration.ofSeconds(1));
        }
        sql("ALTER TABLE away RENAME TO command");
        clock.advance(Duration.ofMinutes(1));
        refusals.tell();
        assertThat(rows()).singleElement().asString().contains("\"more\":10");
    }

    private void refuse(Caller caller, String kind, String address) {
        Actor actor = caller == Caller.KNOWN ? new Actor("user:ann") : Actor.NOBODY;
        refusals.add(caller, kind, address, () -> new Refusal(actor, Map.of("why", "no right")));
    }

    private List<String> rows() {
        return database.read(
                client -> client.sql("SELECT actor, origin, kind, outcome, body FROM command ORDER BY number")
                        .query((row, index) -> row.getString(1) + " " + row.getString(2) + " " + row.getString(3) + " "
                                + row.getString(4) + " " + row.getString(5))
                        .list());
    }

    private void sql(String text) {
        int unused = database.write(client -> client.sql(text).update());
    }
}
