package io.sluice.redis.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.sluice.redis.internal.link.Connector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The address of a Cluster, and what the Cluster reports about its nodes. */
final class ClusterAddressTest {

    private static final Endpoint ASKED = new Endpoint("seed", 6379);

    @Test
    void reachesNodesAsItReachesSeeds() {
        ClusterAddress address =
                ClusterAddress.of("rediss-cluster://me:s%2Ce%40t@h1:7001,[::1]:7002,h3/?verifyPeer=NONE");
        assertThat(address.seeds()).extracting(RedisURI::getHost).containsExactly("h1", "[::1]", "h3");
        assertThat(address.seeds()).extracting(RedisURI::getPort).containsExactly(7001, 7002, 6379);
        assertThat(address.isSecure()).isTrue();
        RedisURI node = address.of(new Endpoint("10.0.0.7", 7007));
        assertThat(node.getHost()).isEqualTo("10.0.0.7");
        assertThat(node.getPort()).isEqualTo(7007);
        assertThat(node.isSsl()).isTrue();
        assertThat(node.isVerifyPeer()).isFalse();
        assertThat(node.getTimeout()).isEqualTo(Connector.CONNECTING_MAY_TAKE);
        assertThat(node.getCredentialsProvider().resolveCredentials().block().getUsername())
                .isEqualTo("me");
        assertThat(new String(node.getCredentialsProvider()
                        .resolveCredentials()
                        .block()
                        .getPassword()))
                .isEqualTo("s,e@t");
        assertThat(ClusterAddress.of("redis-cluster://h:1").isSecure()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-cluster://",
                "redis-cluster://:pw@",
                "redis-cluster://h,,g",
                "redis-cluster://h:1,",
                "redis-cluster://h:x",
                "redis-cluster://h:1:2",
                "redis-cluster://h:1/3",
                "redis-cluster://h:1?database=3",
                "redis-cluster://h 1",
                "redis-cluster://h:99999"
            })
    void rejectsAnInvalidUri(String uri) {
        assertThatThrownBy(() -> ClusterAddress.of(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("redis: \"redis-cluster://")
                .hasMessageNotContaining("pw");
    }

    @Test
    void readsRedirections() {
        assertThat(redirection("MOVED 3999 127.0.0.1:6381"))
                .isEqualTo(new Redirection(Redirection.Kind.MOVED, new Endpoint("127.0.0.1", 6381)));
        assertThat(redirection("ASK 3999 ::1:6381"))
                .isEqualTo(new Redirection(Redirection.Kind.ASK, new Endpoint("::1", 6381)));
        // Nodes that do not know their own names.
        assertThat(redirection("MOVED 3999 :6381"))
                .isEqualTo(new Redirection(Redirection.Kind.MOVED, new Endpoint("seed", 6381)));
        assertThat(redirection("ASK 3999 ?:6381"))
                .isEqualTo(new Redirection(Redirection.Kind.ASK, new Endpoint("seed", 6381)));
        assertThat(redirection("TRYAGAIN Multiple keys request during rehashing of slot"))
                .isEqualTo(new Redirection(Redirection.Kind.TRYAGAIN, ASKED));
        assertThat(redirection("CLUSTERDOWN Hash slot not served"))
                .isEqualTo(new Redirection(Redirection.Kind.CLUSTERDOWN, ASKED));
        for (String other : List.of("ERR what", "MOVED", "MOVED 1", "MOVED 1 nowhere", "ASK 1 h:0", "ASKING", "")) {
            assertThat(redirection(other)).as(other).isNull();
        }
        assertThat(Redirection.of(new IllegalStateException("MOVED 1 h:1"), ASKED))
                .isNull();
    }

    @Test
    void readsShardsOfEitherProtocol() {
        Object primary = node("role", "master", "health", "online", "port", 7001L, "tls-port", 8001L, "endpoint", "h1");
        Object replica = node("role", "replica", "health", "online", "port", 7002L, "endpoint", "h2");
        Object empty = node("role", "master", "health", "online", "port", 7003L, "tls-port", 8003L, "endpoint", "?");
        Object dead = node("role", "master", "health", "fail", "port", 7004L, "endpoint", "h4");
        List<Object> reply = List.of(
                node("slots", List.of(0L, 10L, 20L, 16383L), "nodes", List.of(replica, primary)),
                node("slots", List.of(), "nodes", List.of(empty)),
                node("slots", List.of(), "nodes", List.of(dead)));
        ClusterTopology shards = ClusterTopology.read(ASKED, false, "cluster_state:ok\r\n", reply);
        assertThat(shards.primaries())
                .containsExactly(
                        new ClusterTopology.Primary(new Endpoint("h1", 7001), List.of(0, 10, 20, 16383)),
                        new ClusterTopology.Primary(new Endpoint("seed", 7003), List.of()));
        assertThat(shards.isOk()).isTrue();
        assertThat(shards.isUseful()).isTrue();
        assertThat(ClusterTopology.read(ASKED, true, "cluster_state:fail\r\n", reply)
                        .primaries())
                .extracting(ClusterTopology.Primary::endpoint)
                .containsExactly(new Endpoint("h1", 8001), new Endpoint("seed", 8003));
        assertThat(ClusterTopology.read(ASKED, false, "cluster_state:fail", List.of())
                        .isUseful())
                .isFalse();
        List<Object> plain =
                List.of(node("slots", List.of(0L, 1L), "nodes", List.of(node("role", "master", "port", 1L))));
        assertThatThrownBy(() -> ClusterTopology.read(ASKED, true, "", plain)).hasMessageContaining("tls-port");
    }

    private static Object node(Object... fields) {
        List<Object> flat = new ArrayList<>();
        for (Object field : fields) {
            flat.add(field instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : field);
        }
        return flat;
    }

    private static Redirection redirection(String error) {
        return Redirection.of(new RedisCommandExecutionException(error), ASKED);
    }
}
