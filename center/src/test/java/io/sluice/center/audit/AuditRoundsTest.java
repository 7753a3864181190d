package io.sluice.center.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditRoundsTest {

    private static final int ROWS = 2_500;

    /** One turn begins a round, three read its rows, and one finds its end. */
    private static final int TURNS = 5;

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final CommandLog log = new CommandLog(clock);
    private Database database;
    private AuditRounds rounds;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
        write(ROWS);
        rounds = new AuditRounds(database, clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aRowThatIsChangedAtAnyTimeIsNoticedWithinAnHour() {
        for (int before = 0; before <= TURNS; before++) {
            turns(before);
            String reason = reason();
            sql("UPDATE command SET reason = 'another' WHERE number = 700");
            assertThat(minutesUntil("the audit log: row 700: changed: origin, reason or body"))
                    .isLessThan(60);
            sql("UPDATE command SET reason = '" + reason + "' WHERE number = 700");
            Duration passed = Duration.ZERO;
            while (rounds.problem().isPresent()) {
                passed = minute(passed);
            }
            assertThat(passed).isLessThan(Duration.ofHours(1));
            clock.advance(AuditRounds.EVERY);
        }
    }

    /** It makes the row good again: the tree knows what was stored. */
    @Test
    void aRowThatIsChangedTogetherWithItsHashIsNoticed() {
        sql("UPDATE command SET actor = 'user:eve' WHERE number = 1200");
        AuditRow row = database.read(client -> LoggedRow.above(client, 1_199, 1))
                .get(0)
                .row();
        sql("UPDATE command SET hash = '" + row.hash() + "' WHERE number = 1200");
        assertThat(minutesUntil("the audit log: row ")).isLessThan(60);
    }

    @Test
    void rowsThatAreWrittenOrErasedDuringARoundAreNoDamage() {
        turns(2);
        write(10);
        turns(TURNS);
        assertThat(rounds.problem()).isEmpty();
        assertThat(database.read(client -> AuditWalk.whole(client, AuditHead.NONE, Optional.empty(), Map.of()))
                        .good())
                .isTrue();
    }

    @Test
    void aRoundThatHasEndedRests() {
        turns(TURNS);
        sql("UPDATE command SET reason = 'another' WHERE number = 700");
        turns(10 * TURNS);
        assertThat(rounds.problem()).isEmpty();
        clock.advance(AuditRounds.EVERY);
        turns(TURNS);
        assertThat(rounds.problem()).isPresent();
    }

    private long minutesUntil(String problem) {
        Duration passed = Duration.ZERO;
        while (rounds.problem().filter(text -> text.startsWith(problem)).isEmpty()) {
            assertThat(passed).isLessThan(Duration.ofDays(1));
            passed = minute(passed);
        }
        return passed.toMinutes();
    }

    private Duration minute(Duration before) {
        turns(TURNS);
        clock.advance(Duration.ofMinutes(1));
        return before.plusMinutes(1);
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            rounds.turn(AuditHead.NONE);
        }
    }

    private String reason() {
        return database.read(client -> LoggedRow.above(client, 699, 1)).get(0).reason();
    }

    private void write(int rows) {
        long unused = database.write(client -> {
            long last = 0;
            for (int i = 0; i < rows; i++) {
                last = log.add(client, Actor.CENTER, new Command.Act("test", "row", Map.of()));
            }
            return last;
        });
    }

    private void sql(String statement) {
        int unused = database.write(client -> client.sql(statement).update());
    }
}
