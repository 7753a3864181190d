package io.sluice.system;

import static io.sluice.system.CenterCalls.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.process.HaproxyServer;
import io.sluice.testkit.process.Ports;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two centers on one MariaDB and one Redis, and three nodes, each in a process of its own. The leading center is killed or stopped right
 * after a release. {@code TakeoverTest} of the module {@code center} does the same with a clock that it moves.
 */
@Tag("long")
@Timeout(3_600)
class TwoCentersSystemTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final int ROUNDS = SeededRandom.scaled(1, 5);

    /** The number of reports of a node during which a release must not be done: twice what the node's time to live allows. */
    private static final int REPORTS = 10;

    private static final Pattern NODE =
            Pattern.compile("\"id\":\"([^\"]+)\".*?\"live\":(true|false),\"by\":\"(\\w+)\".*?\"version\":(\\d+)");

    @TempDir
    private Path folder;

    private final RedisServer redis = RedisServer.shared();
    private final FaultProxy slow = FaultProxy.before(redis);
    private final List<SluiceProcess> nodes = new ArrayList<>();
    private Path token;
    private Member first;
    private Member second;
    private HaproxyServer balancer;
    private SluiceProcess cutOff;

    /** A center that keeps its port and its data when it is started again. */
    private final class Member {

        private final String name;
        private final String db;
        private final int port = Ports.free();
        private SluiceProcess process;
        private CenterCalls calls;

        Member(String name, String db) throws Exception {
            this.name = name;
            this.db = db;
            start();
        }

        void start() throws Exception {
            process = SluiceProcess.run(
                    "center",
                    "--admin-token-file",
                    token.toString(),
                    "--data",
                    path(name),
                    "--center-port",
                    Integer.toString(port),
                    "--db",
                    db,
                    "--redis",
                    redis.uri());
            calls = new CenterCalls("http://127.0.0.1:" + process.centerPort(), token, Files.readString(token));
        }

        boolean leads() {
            return calls.get("/api/status").contains("\"leader\":true");
        }

        String state(long version) {
            return found("\"state\":\"(\\w+)\"", calls.get("/api/rollouts/" + version));
        }
    }

    @BeforeEach
    void start() throws Exception {
        token = Files.writeString(folder.resolve("token"), "0123456789abcdef0123456789abcdef01234567");
        String db = MariaDbServer.shared().database();
        first = new Member("first", db);
        until("the first one leads", first::leads);
        second = new Member("second", db);
        int port = Ports.free();
        balancer = HaproxyServer.start("""
            frontend centers
              bind 127.0.0.1:%d
              default_backend centers
            backend centers
              option httpchk GET /health
              option redispatch 1
              server first 127.0.0.1:%d check inter 100ms fall 2 rise 1
              server second 127.0.0.1:%d check inter 100ms fall 2 rise 1
            """.formatted(port, first.port, second.port));
        release(first, 1);
        nodes.add(node("n1", redis.uri()));
        nodes.add(node("n2", redis.uri()));
        // This one reads rules from Redis, and reports to the centers over HTTP.
        cutOff =
                node("n3", slow.uri(), "--center", "http://127.0.0.1:" + port, "--center-token-file", token.toString());
        nodes.add(cutOff);
        until(
                "both know three live nodes",
                () -> live(first).size() == 3 && live(second).size() == 3);
    }

    @AfterEach
    void stop() {
        nodes.forEach(SluiceProcess::close);
        if (balancer != null) {
            balancer.close();
        }
        first.process.close();
        second.process.close();
        slow.close();
    }

    @Test
    void aReleaseIsNotDoneWhileALiveNodeServesTheOldVersionAndTheLeaderDies() throws Exception {
        Member leader = first;
        Member other = second;
        for (long version = 2; version < 2 + ROUNDS; version++) {
            slow.silence();
            release(leader, version);
            leader.process.signal("KILL");
            Member next = other;
            until("the other one leads", next::leads);
            // The node that is cut off from the release reports to it, and is therefore live.
            long now = version;
            Set<String> reports = new HashSet<>();
            until("reports of the node that is cut off", () -> {
                Node node =
                        live(next).stream().filter(Node::isByHttp).findFirst().orElse(null);
                assertThat(next.state(now)).isEqualTo("releasing");
                if (node != null) {
                    assertThat(node.version()).isEqualTo(now - 1);
                    reports.add(found("\"last_heartbeat\":\"([^\"]+)\"", next.calls.get("/api/nodes/" + node.id())));
                }
                return reports.size() >= REPORTS;
            });
            assertThat(served(cutOff)).isEqualTo(now - 1);

            slow.resume();
            slow.cut();
            until("done", () -> next.state(now).equals("done"));
            for (SluiceProcess node : nodes) {
                assertThat(served(node)).isEqualTo(now);
            }
            assertThat(next.calls.get("/api/rollouts/" + now)).contains("\"applied\":3,\"waiting\":0");
            leader.start();
            Member again = leader;
            until(
                    "both know three live nodes",
                    () -> live(again).size() == 3 && live(next).size() == 3);
            other = leader;
            leader = next;
        }
    }

    @Test
    void aLeaderThatWasStoppedNeverClaimsToLeadBesideTheNextOne() throws Exception {
        Member leader = first;
        Member other = second;
        for (long version = 2; version < 2 + ROUNDS; version++) {
            release(leader, version);
            leader.process.signal("STOP");
            until("the other one leads", other::leads);
            leader.process.signal("CONT");
            // From the very first answer, and until the center has asked the database many times.
            for (int i = 0; i < 200; i++) {
                assertThat(leader.leads()).isFalse();
            }
            assertThat(other.leads()).isTrue();
            long now = version;
            Member next = other;
            Member old = leader;
            until(
                    "done at both",
                    () -> next.state(now).equals("done") && old.state(now).equals("done"));
            for (SluiceProcess node : nodes) {
                assertThat(served(node)).isEqualTo(now);
            }
            assertThat(redis.command("GET", "rate_limit_config_version").text()).isEqualTo(Long.toString(now));
            other = leader;
            leader = next;
        }
    }

    /** A node as a center shows it. */
    private record Node(String id, boolean isByHttp, long version) {}

    private static List<Node> live(Member center) {
        List<Node> live = new ArrayList<>();
        Matcher each = NODE.matcher(center.calls.get("/api/nodes"));
        while (each.find()) {
            if (each.group(2).equals("true")) {
                live.add(new Node(each.group(1), each.group(3).equals("http"), Long.parseLong(each.group(4))));
            }
        }
        return live;
    }

    private SluiceProcess node(String name, String uri, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("node", "--api-port", "0", "--data", path(name), "--redis", uri));
        arguments.addAll(List.of(more));
        return SluiceProcess.run(arguments.toArray(String[]::new));
    }

    private static long served(SluiceProcess node) {
        try {
            return Long.parseLong(
                    found("\"version\":(\\d+)", node.get("/v1/rules").body()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void release(Member center, long version) {
        String rule = "{\"id\":\"login\",\"resource\":\"/login\",\"limits\":[{\"by\":\"ip\",\"limit\":"
                + (100 + version) + ",\"window\":\"1h\"}]}";
        assertThat(center.calls.release(version - 1, rule, "\"all\"")).contains("\"version\":" + version + ",");
    }

    private static void until(String what, BooleanSupplier isTrue) {
        Await.until(what, SOON, isTrue);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
