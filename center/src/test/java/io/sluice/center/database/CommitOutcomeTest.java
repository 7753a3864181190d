package io.sluice.center.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.core.time.Clock;
import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.redis.FaultProxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The connection to MariaDB breaks while the answer to COMMIT is on its way. */
class CommitOutcomeTest {

    private static final Actor ACTOR = new Actor("token:test");

    @TempDir
    Path data;

    private final CommandLog log = new CommandLog(Clock.system());
    private final AtomicInteger runs = new AtomicInteger();
    private FaultProxy proxy;
    private Database database;

    @BeforeEach
    void open() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        proxy = FaultProxy.before(server);
        database = Database.open(server.database().replace(":" + server.port() + "/", ":" + proxy.port() + "/"), data);
    }

    @AfterEach
    void close() {
        database.close();
        proxy.close();
    }

    @Test
    void aStoredTransactionIsFoundByItsCommandAndRunsOnce() {
        proxy.loseAnswerTo(() -> {}, "INSERT INTO command", "COMMIT");
        assertThat(command()).isEqualTo(1);
        assertThat(proxy.severed()).isEqualTo(1);
        assertThat(runs).hasValue(1);
        assertThat(commands()).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void aTransactionWhoseEndDidNotArriveRunsAgain() {
        long number = database.write(client -> {
            long added = add(client);
            if (runs.get() == 1) {
                proxy.cut();
            }
            return added;
        });
        assertThat(number).isEqualTo(1);
        assertThat(runs).hasValue(2);
        assertThat(commands()).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void theOutcomeIsNotKnownWhileTheServerCannotBeAsked() {
        proxy.loseAnswerTo(
                () -> {
                    proxy.stopListening();
                    proxy.cut();
                },
                "INSERT INTO command",
                "COMMIT");
        assertThatThrownBy(this::command)
                .isInstanceOf(OutcomeUnknownException.class)
                .matches(failure -> Database.isUnavailable((RuntimeException) failure));
        assertThat(runs).hasValue(1);
        proxy.listen();
        assertThat(commands()).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void theOutcomeOfATransactionWithoutACommandIsNotKnown() {
        proxy.loseAnswerTo(() -> {}, "INSERT INTO ceremony", "COMMIT");
        assertThatThrownBy(() -> database.write(client -> client.sql(
                                "INSERT INTO ceremony (hash, kind, body, expires_at) VALUES ('h', 'k', 'b', 1)")
                        .update()))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(count("ceremony")).isEqualTo(1);
    }

    private long command() {
        return database.write(this::add);
    }

    private long add(JdbcClient client) {
        runs.incrementAndGet();
        return log.add(client, ACTOR, new Command.Act("test", "", Map.of()));
    }

    private long commands() {
        return count("command");
    }

    private long count(String table) {
        return database.read(client ->
                client.sql("SELECT COUNT(*) FROM " + table).query(Long.class).single());
    }
}
