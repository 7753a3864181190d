package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class RedisServerTest {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void answersCommandsWithWhatRedisAnswers() {
        assertThat(server.command("SET", "k", "päivää")).isEqualTo(new RedisReply.Text("OK"));
        assertThat(server.command("GET", "k").text()).isEqualTo("päivää");
        assertThat(server.command("GET", "none")).isEqualTo(new RedisReply.Nothing());
        assertThat(server.command("INCRBY", "n", "-7").number()).isEqualTo(-7);
        assertThat(server.command("MGET", "k", "n").texts()).containsExactly("päivää", "-7");
        assertThat(server.command("EVAL", "return {1, {'a', false}, ''}", "0"))
                .hasToString("Many[list=[Whole[number=1], Many[list=[Text[text=a], Nothing[]]], Text[text=]]]");
        assertThat(server.command("INCR", "k").error()).startsWith("ERR value is not an integer");
        assertThat(server.info("role")).isEqualTo("master");
    }

    @Test
    void neverReadsAnErrorAsSomethingElse() {
        assertThatThrownBy(() -> server.command("NO-SUCH-COMMAND").text())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("unknown command")
                .hasMessageEndingWith("(expected: a text)");
    }

    @Test
    void keepsTheOrderOfCommandsThatDoNotWait() {
        try (RedisConnection connection = server.connect()) {
            for (int i = 0; i < 1_000; i++) {
                connection.send("ECHO", "e" + i);
            }
            for (int i = 0; i < 1_000; i++) {
                assertThat(connection.receive().text()).isEqualTo("e" + i);
            }
        }
    }

    @Test
    void startsWithAPassword() {
        try (RedisServer closed = RedisServer.start("--requirepass", "open sesame");
                RedisConnection stranger = RedisConnection.to(closed.port())) {
            assertThat(stranger.command("GET", "k").error()).startsWith("NOAUTH");
            assertThat(closed.command("GET", "k")).isEqualTo(new RedisReply.Nothing());
            assertThat(closed.uri()).isEqualTo("redis://:open%20sesame@127.0.0.1:" + closed.port());
        }
    }

    @Test
    void startsWithAMemoryLimit() {
        try (RedisServer small = RedisServer.start("--maxmemory", "1")) {
            assertThat(small.command("SET", "k", "v").error()).startsWith("OOM");
        }
    }

    @Test
    void comesBackEmptyOnItsPort() {
        try (RedisServer own = RedisServer.start()) {
            own.command("SET", "k", "v");
            own.kill();
            assertThat(own.isAlive()).isFalse();
            assertThatThrownBy(() -> own.command("PING")).isInstanceOf(UncheckedIOException.class);
            own.restart();
            assertThat(own.command("EXISTS", "k").number()).isZero();
            String before = own.info("process_id");
            own.restart();
            assertThat(own.info("process_id")).isNotEqualTo(before);
        }
    }

    @Test
    void isSilentWhileFrozen() {
        try (RedisServer own = RedisServer.start()) {
            own.freeze();
            try (RedisConnection impatient = RedisConnection.to(own.port())) {
                impatient.patience(Duration.ofMillis(50));
                assertThatThrownBy(() -> impatient.command("PING")).isInstanceOf(UncheckedIOException.class);
                own.thaw();
                assertThat(own.command("PING").text()).isEqualTo("PONG");
            }
        }
    }

    @Test
    void leavesNeitherProcessNorFolder() {
        RedisServer own = RedisServer.start();
        long pid = Long.parseLong(own.info("process_id"));
        Path folder = Path.of(own.command("CONFIG", "GET", "dir").texts().get(1));
        assertThat(folder).isDirectory();
        own.freeze();
        own.close();
        own.close();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(Files.exists(folder)).isFalse();
    }

    @Test
    void reportsWhyItDoesNotStart() {
        assertThatThrownBy(() -> RedisServer.start("--no-such-option", "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Bad directive");
    }
}
