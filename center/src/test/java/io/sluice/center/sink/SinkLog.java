package io.sluice.center.sink;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A log in a database, and the sinks that follow it. */
final class SinkLog implements AutoCloseable {

    final QuietClock clock = QuietClock.at(1_800_000_000_000_000L);
    final Database database;
    private final CommandLog log = new CommandLog(clock);
    private final Path data;
    private AuditSinks sinks;

    SinkLog(Path data) throws Exception {
        this.data = data;
        this.database = Database.open("", data);
        sql("UPDATE audit_head SET log = '0123456789abcdef0123456789abcdef'");
        this.sinks = AuditSinks.open(List.of(), database, data, clock);
    }

    /** Starts sinks in place of those before. */
    AuditSinks follow(long mostBehind, AuditSink... settings) throws Exception {
        sinks.close();
        sinks = AuditSinks.open(List.of(settings), database, data, clock, mostBehind);
        return sinks;
    }

    void add(int rows) {
        add(rows, "because");
    }

    void add(int rows, String reason) {
        database.write(client -> {
            for (int i = 0; i < rows; i++) {
                long unused =
                        log.add(client, Actor.CENTER.at("192.0.2.7"), new Command.Act("test", reason, Map.of("i", i)));
            }
            return true;
        });
    }

    void sql(String statement) {
        int unused = database.write(client -> client.sql(statement).update());
    }

    /** Turns as the leader does, and lets time pass, until something holds. */
    void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(5), () -> {
            sinks.turn(true);
            if (!sinks.isSending()) {
                // A sink that sends from now on may be held in a write.
                clock.advanceMeanwhile(Duration.ofMillis(250));
            }
            return condition.getAsBoolean();
        });
    }

    /** Waits until all sinks have all rows. */
    void untilSent(long number) {
        until("all sinks have row " + number, () -> sinks.states().stream().allMatch(each -> each.sent() == number));
    }

    @Override
    public void close() {
        sinks.close();
        database.close();
    }
}
