package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.Clock;
import io.sluice.testkit.Await;
import io.sluice.testkit.process.Ports;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FaultProxyTest {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static RedisServer server;
    private FaultProxy proxy;

    @BeforeAll
    static void startServer() {
        server = RedisServer.shared();
    }

    @BeforeEach
    void startProxy() {
        server.command("FLUSHALL");
        proxy = FaultProxy.before(server);
    }

    @AfterEach
    void stopProxy() {
        proxy.close();
        assertThat(threads()).isEmpty();
    }

    @Test
    void leadsToAnotherServerOnceItIsRedirected() {
        try (RedisServer other = RedisServer.start();
                RedisConnection before = connect()) {
            assertThat(before.command("SET", "who", "first").text()).isEqualTo("OK");
            other.command("SET", "who", "second");

            proxy.redirect(other);

            assertThatThrownBy(() -> before.command("GET", "who")).isInstanceOf(UncheckedIOException.class);
            try (RedisConnection after = connect()) {
                assertThat(after.command("GET", "who").text()).isEqualTo("second");
            }
            proxy.cut();
        }
    }

    @Test
    void passesEverythingOnAndCountsIt() {
        String large = "x".repeat(1_000_000);
        try (RedisConnection client = connect()) {
            assertThat(client.command("PING").text()).isEqualTo("PONG");
            assertThat(proxy.bytesToServer()).isEqualTo("*1\r\n$4\r\nPING\r\n".length());
            assertThat(proxy.bytesToClient()).isEqualTo("+PONG\r\n".length());
            assertThat(proxy.connections()).isEqualTo(1);
            assertThat(proxy.open()).isEqualTo(1);
            assertThat(client.command("SET", "large", large).text()).isEqualTo("OK");
            assertThat(client.command("GET", "large").text()).isEqualTo(large);
        }
        Await.until("end passed on", PATIENCE, () -> proxy.open() == 0);
        assertThat(proxy.connections()).isEqualTo(1);
    }

    @Test
    void passesTheEndOfTheServerOn() {
        try (RedisConnection client = connect()) {
            assertThat(client.command("QUIT").text()).isEqualTo("OK");
            assertThatThrownBy(client::receive).hasMessageContaining("closed");
        }
    }

    @Test
    void delaysEachDirectionAndKeepsTheOrder() {
        try (RedisConnection client = connect()) {
            client.command("PING");
            proxy.delay(Duration.ofMillis(10), Duration.ofMillis(20));
            for (int i = 0; i < 10; i++) {
                assertThat(pingTakes(client)).isGreaterThanOrEqualTo(Duration.ofMillis(30));
            }
            // A busy machine may take longer, but not every time.
            Await.until(
                    "a delay of a few times as much at most",
                    PATIENCE,
                    () -> pingTakes(client).compareTo(Duration.ofMillis(300)) < 0);

            for (int i = 0; i < 500; i++) {
                client.send("ECHO", "e" + i);
                if (i == 100) {
                    proxy.delay(Duration.ZERO);
                }
            }
            for (int i = 0; i < 500; i++) {
                assertThat(client.receive().text()).isEqualTo("e" + i);
            }
        }
    }

    @Test
    void isSilentWithoutClosingAndStaysSoForWhatWasLost() {
        try (RedisConnection loser = connect();
                RedisConnection idle = connect()) {
            loser.command("PING");
            idle.command("PING");
            proxy.silence();
            loser.send("SET", "k", "v");
            assertSilent(loser);
            try (RedisConnection late = connect()) {
                late.send("PING");
                assertSilent(late);
            }
            proxy.resume();
            loser.send("SET", "k", "v");
            assertSilent(loser);
            assertThat(idle.command("EXISTS", "k").number()).isZero();
            try (RedisConnection fresh = connect()) {
                assertThat(fresh.command("PING").text()).isEqualTo("PONG");
            }
        }
    }

    @Test
    void hidesTheEndOfAConnectionWhileSilent() {
        try (RedisServer own = RedisServer.start();
                FaultProxy silent = FaultProxy.before(own);
                RedisConnection client = RedisConnection.to(silent.port())) {
            client.command("PING");
            silent.silence();
            own.kill();
            assertSilent(client);
            silent.cut();
            assertClosed(client);
        }
    }

    @Test
    void letsRequestsThroughAndLosesAnswers() {
        try (RedisConnection client = connect()) {
            client.command("PING");
            proxy.loseAnswers();
            client.send("INCR", "k");
            assertSilent(client);
            awaitText("1");
            proxy.resume();
            client.send("INCR", "k");
            assertSilent(client);
            awaitText("2");
        }
    }

    @Test
    void refusesNewConnectionsWhileOthersAreSilentOrPass() {
        try (RedisConnection client = connect()) {
            client.command("PING");
            proxy.stopListening();
            assertThatThrownBy(this::connect).isInstanceOf(UncheckedIOException.class);
            assertThat(client.command("PING").text()).isEqualTo("PONG");
            proxy.silence();
            client.send("PING");
            assertSilent(client);
            assertThatThrownBy(this::connect).isInstanceOf(UncheckedIOException.class);
            proxy.resume();
            try (RedisConnection fresh = connect()) {
                assertThat(fresh.command("PING").text()).isEqualTo("PONG");
            }
        }
    }

    @Test
    void cutsAllConnectionsAndAcceptsNewOnes() {
        try (RedisConnection one = connect();
                RedisConnection two = connect()) {
            one.command("PING");
            two.command("PING");
            proxy.cut();
            assertClosed(one);
            assertClosed(two);
            try (RedisConnection fresh = connect()) {
                assertThat(fresh.command("PING").text()).isEqualTo("PONG");
            }
            assertThat(proxy.connections()).isEqualTo(3);
        }
    }

    @Test
    void closesConnectionsWhenThereIsNoServer() {
        try (FaultProxy beforeNothing = FaultProxy.before(Ports.free())) {
            assertThatThrownBy(() -> {
                        try (RedisConnection client = RedisConnection.to(beforeNothing.port())) {
                            client.receive();
                        }
                    })
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageNotContaining("timed out");
            assertThat(beforeNothing.open()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "-READONLY You can't write against a read only replica.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "BUSY Redis is busy running a script.",
                "NOAUTH Authentication required.",
                "CLUSTERDOWN The cluster is down",
                "MASTERDOWN Link with MASTER is down"
            })
    void answersEverythingWithAnError(String error) {
        try (RedisConnection client = connect()) {
            client.command("PING");
            proxy.answer(error);
            assertThat("-" + client.command("SET", "k", "v").error())
                    .isEqualTo(error.startsWith("-") ? error : "-" + error);
            assertThat(client.command("GET", "k")).isInstanceOf(RedisReply.Failure.class);
            assertThat(proxy.answered()).isEqualTo(2);
            proxy.resume();
            assertThat(client.command("GET", "k")).isEqualTo(new RedisReply.Nothing());
        }
    }

    @Test
    void answersOnlyCommandsOfTheNamesAndInTheOrderOfCommands() {
        proxy.answer("LOADING wait", "fcall", "Set");
        proxy.delay(Duration.ofMillis(2));
        try (RedisConnection client = connect()) {
            for (int i = 0; i < 300; i++) {
                client.send("ECHO", "e" + i);
                client.send("FCALL", "f", "0", "x".repeat(i * 10));
                client.send("MGET", "a", "b");
                client.send("set", "k", "v");
            }
            for (int i = 0; i < 300; i++) {
                assertThat(client.receive().text()).isEqualTo("e" + i);
                assertThat(client.receive().error()).isEqualTo("LOADING wait");
                assertThat(client.receive().list()).hasSize(2);
                assertThat(client.receive().error()).isEqualTo("LOADING wait");
            }
            assertThat(proxy.answered()).isEqualTo(600);
            assertThat(server.command("EXISTS", "k").number()).isZero();
        }
    }

    @Test
    void waitsForTheServersAnswerBeforeItsOwn() {
        try (RedisConnection client = connect()) {
            client.send("BLPOP", "list", "0");
            Await.until(
                    "blocked", PATIENCE, () -> server.info("blocked_clients").equals("1"));
            proxy.answer("BUSY no", "PING");
            client.send("PING");
            Await.until("answered", PATIENCE, () -> proxy.answered() == 1);
            server.command("RPUSH", "list", "v");
            assertThat(client.receive().texts()).containsExactly("list", "v");
            assertThat(client.receive().error()).isEqualTo("BUSY no");
        }
    }

    @Test
    void holdsAClientBackThatSendsMoreThanTheServerTakes() {
        try (RedisServer own = RedisServer.start();
                FaultProxy slow = FaultProxy.before(own);
                RedisConnection client = RedisConnection.to(slow.port())) {
            client.command("PING");
            slow.delay(Duration.ofMinutes(5));
            Thread sends = new Thread(() -> {
                try {
                    for (int i = 0; i < 1_000; i++) {
                        client.send("SET", "k", "x".repeat(1 << 20));
                    }
                } catch (UncheckedIOException cut) {
                    // The expected end.
                }
            });
            sends.start();
            Await.until("reader waits", PATIENCE, () -> Thread.getAllStackTraces().entrySet().stream()
                    .anyMatch(thread -> thread.getKey().getName().equals(slow.threadName() + "-reads-client")
                            && List.of(thread.getValue()).toString().contains("DelayLine.put")
                            && thread.getKey().getState() == Thread.State.WAITING));
            slow.close();
            Await.until("sender ends", PATIENCE, () -> !sends.isAlive());
        }
    }

    @Test
    void rejectsInvalidArguments() {
        assertThatThrownBy(() -> proxy.answer("two\r\nlines")).hasMessageContaining("(expected: one line)");
        assertThatThrownBy(() -> proxy.answer("")).hasMessageContaining("(expected: one line)");
        assertThatThrownBy(() -> proxy.delay(Duration.ofMillis(-1))).hasMessageContaining("(expected: 0 or more)");
    }

    private static Duration pingTakes(RedisConnection client) {
        long before = Clock.system().nanoTime();
        client.command("PING");
        return Duration.ofNanos(Clock.system().nanoTime() - before);
    }

    private static void awaitText(String text) {
        Await.until("k is " + text, PATIENCE, () -> server.command("GET", "k").equals(new RedisReply.Text(text)));
    }

    private RedisConnection connect() {
        return RedisConnection.to(proxy.port(), PATIENCE);
    }

    private static void assertSilent(RedisConnection client) {
        client.patience(SHORT);
        assertThatThrownBy(client::receive)
                .satisfies(failure ->
                        assertThat(failure.toString().toLowerCase(Locale.ROOT)).contains("timed out"));
    }

    private static void assertClosed(RedisConnection client) {
        client.patience(PATIENCE);
        assertThatThrownBy(client::receive)
                .isInstanceOf(UncheckedIOException.class)
                .satisfies(failure ->
                        assertThat(failure.toString().toLowerCase(Locale.ROOT)).doesNotContain("timed out"));
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(proxy.threadName()))
                .toList();
    }
}
