package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class SharedServersTest {

    private static final String FUNCTION = "#!lua name=left\nredis.register_function('left', function() return 1 end)";

    @Test
    void everyClassGetsTheSameServerEmptied() {
        RedisServer server = RedisServer.shared();
        leaveTraces(server);
        RedisServer again = RedisServer.shared();
        assertThat(again).isSameAs(server);
        assertNoTraces(again);
    }

    @Test
    void everyClassGetsTheSameClusterEmptied() {
        RedisCluster cluster = RedisCluster.shared();
        cluster.primaries().forEach(SharedServersTest::leaveTraces);
        RedisCluster again = RedisCluster.shared();
        assertThat(again).isSameAs(cluster);
        again.primaries().forEach(SharedServersTest::assertNoTraces);
    }

    @Test
    void canBeNeitherEndedNorFrozen() {
        assertOwnServerExpected(RedisServer.shared());
    }

    @Test
    void theClusterCanBeNeitherEndedNorFrozenNorFailedOver() {
        RedisCluster cluster = RedisCluster.shared();
        cluster.nodes().forEach(SharedServersTest::assertOwnServerExpected);
        List<ThrowingCallable> mistakes = List.of(
                cluster::close,
                () -> cluster.killPrimaryOf(0),
                () -> cluster.failOver(0),
                () -> cluster.stopReplicationOf(0));
        assertThat(mistakes).allSatisfy(SharedServersTest::assertMistake);
        cluster.awaitOk();
    }

    /** Redis itself refuses, so no client of a test can change the server either. */
    @Test
    void keepsItsConfiguration() {
        RedisServer server = RedisServer.shared();
        String[] change = {"CONFIG", "SET", "maxmemory", "1"};
        assertMistake(() -> server.command(change));
        assertMistake(() -> server.command("ACL", "SETUSER", "default", "-info"));
        assertMistake(() -> server.command("SHUTDOWN"));
        try (RedisConnection connection = server.connect()) {
            assertThat(connection.command(change).error()).startsWith("NOPERM");
        }
        assertThat(server.command("CONFIG", "GET", "maxmemory").texts()).containsExactly("maxmemory", "0");
    }

    @Test
    void anOwnServerMayRefuseCommandsToo() {
        try (RedisServer own = RedisServer.start("--user", "default", "on", "nopass", "~*", "+@all", "-echo")) {
            assertThat(own.command("ECHO", "text").error()).startsWith("NOPERM");
        }
    }

    private static void leaveTraces(RedisServer server) {
        String key = "left by another class";
        server.command("SET", key, "v");
        assertThat(server.command("FUNCTION", "LOAD", FUNCTION).text()).isEqualTo("left");
    }

    private static void assertNoTraces(RedisServer server) {
        assertThat(server.command("DBSIZE").number()).isZero();
        assertThat(server.command("FUNCTION", "LIST").list()).isEmpty();
        assertThat(server.info("cmdstat_config|resetstat")).startsWith("calls=1,");
        assertThat(server.command("INFO", "commandstats").text()).doesNotContain("cmdstat_function|load");
    }

    private static void assertOwnServerExpected(RedisServer server) {
        List<ThrowingCallable> mistakes = List.of(server::close, server::kill, server::restart, server::freeze);
        assertThat(mistakes).allSatisfy(SharedServersTest::assertMistake);
        assertThat(server.command("PING").text()).isEqualTo("PONG");
    }

    private static void assertMistake(ThrowingCallable mistake) {
        assertThatThrownBy(mistake)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith(
                        " on a shared server (expected: a server of the test's own, RedisServer.start())");
    }
}
