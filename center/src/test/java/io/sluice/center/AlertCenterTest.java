package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.center.destination.AlertSettings;
import io.sluice.center.destination.AlertSeverity;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alerts of a running center, about nodes that are in trouble. */
class AlertCenterTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final NodeReport.Breaker CLOSED = NodeReport.Breaker.CLOSED;
    private static final NodeReport.Breaker OPEN = NodeReport.Breaker.OPEN;

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private Center center;
    private ApiClient api;
    private FakeNode node;
    private long version;

    private void open(CenterSettings settings, Clock time) throws CenterStartException {
        center = Center.open(settings, time);
        api = ApiClient.of(center);
        node = new FakeNode(api, "n1");
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void aNodeWithoutItsStoreIsAnAlertUntilItIsWell() throws Exception {
        open(PreparedCenter.in(data), clock);
        atOnce("degraded");
        atOnce("breaker_open");
        version = api.release("login", 5);
        node.decides(NodeReport.Mode.LOCAL, OPEN);
        JsonNode degraded = await("degraded", "firing");
        assertThat(degraded.get("severity").asString()).isEqualTo("critical");
        assertThat(degraded.get("subject").asString()).isEqualTo("node n1:8080");
        assertThat(degraded.get("summary").asString())
                .isEqualTo("Node n1:8080 decides without its shared store (mode: local).");
        assertThat(degraded.get("link").asString()).isEqualTo(center.publicUrl() + "/nodes?id=n1");
        assertThat(await("breaker_open", "firing").get("severity").asString()).isEqualTo("warning");
        node.decides(NodeReport.Mode.REMOTE, CLOSED);
        await("degraded", "resolved");
        await("breaker_open", "resolved");
        // A node that has no shared store is well. Another alert shows that the center has looked.
        node.decides(NodeReport.Mode.LOCAL, NodeReport.Breaker.NONE);
        pass();
        FakeNode other = new FakeNode(api, "n2").decides(NodeReport.Mode.LOCAL, OPEN);
        Await.until("the other node", SOON, () -> {
            pass();
            other.runs(version);
            return find("degraded", "firing").isPresent();
        });
        assertThat(all("degraded", "firing"))
                .extracting(alert -> alert.get("key").asString())
                .containsExactly("node:n2");
    }

    @Test
    void aNodeThatStopsToReportIsAnAlert() throws Exception {
        open(PreparedCenter.in(data), clock);
        atOnce("node_silent");
        version = api.release("login", 5);
        node.runs(version);
        Await.until("silent", SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            return find("node_silent", "firing").isPresent();
        });
        await("node_silent", "resolved");
    }

    @Test
    void aReleaseThatANodeRefusesOrDoesNotApplyIsAnAlert() throws Exception {
        open(PreparedCenter.in(data), clock);
        atOnce("release_not_acknowledged", "\"after\":\"5s\",");
        version = api.release("login", 5);
        Await.until("done", SOON, () -> {
            pass();
            return api.get("/api/rollouts/1").string("state").equals("done");
        });
        long next = api.release("login", 6);
        Await.until("refused", SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            node.refuses(version, next, "no\r\nsuch <b>limit</b>");
            return find("release_not_acknowledged", "firing").isPresent();
        });
        JsonNode refused = find("release_not_acknowledged", "firing").orElseThrow();
        assertThat(refused.get("summary").asString()).isEqualTo("1 of 1 nodes refused version 2.");
        assertThat(refused.get("link").asString()).endsWith("/releases/2");
        // The node does not refuse it any more, and does not run it either.
        Await.until("late", SOON, () -> {
            pass();
            return find("release_not_acknowledged", "firing")
                    .filter(alert -> alert.get("summary").asString().contains("1 nodes have not applied it"))
                    .isPresent();
        });
        version = next;
        await("release_not_acknowledged", "resolved");
    }

    @Test
    void anAuditLogThatNobodyWitnessesIsAnAlert() throws Exception {
        open(PreparedCenter.in(data), clock);
        atOnce("audit_not_witnessed");
        version = api.release("login", 5);
        JsonNode missing = await("audit_not_witnessed", "firing");
        assertThat(missing.get("subject").asString()).isEqualTo("audit log");
        assertThat(missing.get("link").asString()).endsWith("/audit");
        Await.until("witnessed", SOON, () -> {
            witness(Optional.empty());
            return find("audit_not_witnessed", "resolved").isPresent();
        });
        Await.until("refused", SOON, () -> {
            witness(Optional.of("forked"));
            return all("audit_not_witnessed", "firing").stream()
                    .anyMatch(alert ->
                            alert.get("summary").asString().equals("Node n1:8080 contradicts the audit log: forked"));
        });
    }

    /** Takes what the center offers, as a node does. */
    private void witness(Optional<String> refused) {
        clock.advance(Duration.ofMillis(200));
        node.runs(version).audit().ifPresent(offer -> {
            Checkpoint held = offer.checkpoint();
            node.witnesses(
                    new WitnessReport(held.log(), held.size(), held.root(), held.atMillis(), held.key(), refused));
        });
    }

    @Test
    void somethingElseInRedisIsAnAlert() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            open(PreparedCenter.in(data).redis(redis.uri()), Clock.system());
            api.put("/api/alerts/rules/drift", "{\"for\":\"0s\",\"clear_for\":\"0s\",\"revision\":0,\"reason\":\"x\"}")
                    .expect(200);
            api.release("login", 5);
            Await.until("done", SOON, () -> api.get("/api/rollouts/1")
                    .string("state")
                    .equals("done"));
            redis.command("HSET", "rate_limit_config:GLOBAL:GLOBAL", "id", "foreign");
            Await.until("drift", SOON, () -> find("drift", "firing").isPresent());
            assertThat(find("drift", "firing").orElseThrow().get("summary").asString())
                    .isEqualTo("Something else wrote to 1 hashes of the rules in Redis.");
            api.post("/api/mirror/repair", "{\"reason\":\"a script wrote to it\"}")
                    .expect(200);
            Await.until("repaired", SOON, () -> find("drift", "resolved").isPresent());
            redis.kill();
            Await.until("away", SOON, () -> find("drift", "firing").isPresent());
            assertThat(find("drift", "firing").orElseThrow().get("summary").asString())
                    .startsWith("The center cannot use Redis: ");
        }
    }

    @Test
    void alertsReachAWebhookUnlessTheyAreSilenced() throws Exception {
        List<JsonNode> received = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int[] status = {200};
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (status[0] == 200) {
                JsonMapper.shared().readTree(body).get("alerts").forEach(received::add);
            }
            exchange.sendResponseHeaders(status[0], -1);
            exchange.close();
        });
        server.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/s3cret");
            open(
                    PreparedCenter.in(data)
                            .alerts(new AlertSettings(
                                    List.of(new AlertSettings.Webhook(
                                            url, Optional.empty(), Optional.empty(), Set.of(AlertSeverity.values()))),
                                    Optional.empty())),
                    clock);
            atOnce("degraded");
            atOnce("breaker_open");
            version = api.release("login", 5);
            api.post("/api/alerts/silences", "{\"kind\":\"breaker_open\",\"in\":\"1d\",\"reason\":\"we know\"}")
                    .expect(201);
            node.decides(NodeReport.Mode.OPEN, OPEN);
            await("degraded", "firing");
            assertThat(await("breaker_open", "firing").get("silenced").asBoolean())
                    .isTrue();
            Await.until("told", SOON, () -> received.stream().anyMatch(isOf("degraded", "firing")));
            assertThat(api.get("/api/alerts/destinations")
                            .json()
                            .get(0)
                            .get("name")
                            .asString())
                    .isEqualTo("webhook 1 at http://127.0.0.1");
            Await.until("success", SOON, () -> !api.get("/api/alerts/destinations")
                    .json()
                    .get(0)
                    .get("last_success")
                    .isNull());
            status[0] = 503;
            node.decides(NodeReport.Mode.REMOTE, CLOSED);
            await("degraded", "resolved");
            Await.until("a problem", SOON, () -> {
                pass();
                return api.get("/api/status").get("problems").toString().contains("alerts cannot be sent to webhook 1");
            });
            assertThat(api.get("/api/status").text()).doesNotContain("s3cret");
            status[0] = 200;
            Await.until("told again", SOON, () -> {
                pass();
                return received.stream().anyMatch(isOf("degraded", "resolved"));
            });
            assertThat(received).noneMatch(alert -> alert.get("kind").asString().equals("breaker_open"));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void whatFiresGoesOnAfterARestart() throws Exception {
        open(PreparedCenter.in(data), clock);
        atOnce("degraded");
        version = api.release("login", 5);
        node.decides(NodeReport.Mode.LOCAL, OPEN);
        JsonNode before = await("degraded", "firing");
        center.close();
        open(PreparedCenter.in(data), clock);
        JsonNode after = find("degraded", "firing").orElseThrow();
        assertThat(after.get("id").asLong()).isEqualTo(before.get("id").asLong());
        assertThat(after.get("since")).isEqualTo(before.get("since"));
        await("degraded", "resolved");
    }

    @Test
    void changesOfRulesAreInTheAuditLogAndCheckTheirRevision() throws Exception {
        open(PreparedCenter.in(data), clock);
        JsonNode rules = api.get("/api/alerts/rules").expect(200).json();
        assertThat(rules.size()).isEqualTo(9);
        assertThat(rules.get(0).get("id").asString()).isEqualTo("caller_refused");
        assertThat(rules.get(0).get("for").asString()).isEqualTo("0s");
        assertThat(rules.get(0).get("share").isNull()).isTrue();
        String change = "{\"refused\":20,\"within\":\"10m\",\"revision\":0,\"reason\":\"case 7\"}";
        api.put("/api/alerts/rules/caller_refused", change).expect(200);
        assertThat(api.put("/api/alerts/rules/caller_refused", change)
                        .expect(409)
                        .text())
                .contains("revision: 0 (expected: 1");
        api.put("/api/alerts/rules/caller_refused", "{\"refused\":20,\"reason\":\"x\"}")
                .expect(400);
        api.put("/api/alerts/rules/caller_refused", "{\"unknown\":20,\"revision\":1,\"reason\":\"x\"}")
                .expect(400);
        api.put("/api/alerts/rules/caller_refused", "{\"refused\":20,\"revision\":1}")
                .expect(400);
        JsonNode row = api.get("/api/commands?limit=1").json().get(0);
        assertThat(row.get("kind").asString()).isEqualTo("change_alert_rule");
        assertThat(row.get("reason").asString()).isEqualTo("case 7");
        assertThat(row.toString()).contains("\"refused\":100", "\"refused\":20");
        api.send("DELETE", "/api/alerts/rules/nothing?reason=x", "application/json", "")
                .expect(404);
    }

    /** Lets an alert fire and end without delay. */
    private void atOnce(String rule) {
        atOnce(rule, "");
    }

    private void atOnce(String rule, String more) {
        long revision = StreamSupport.stream(api.get("/api/alerts/rules").json().spliterator(), false)
                .filter(each -> each.get("id").asString().equals(rule))
                .findFirst()
                .orElseThrow()
                .get("revision")
                .asLong();
        api.put(
                        "/api/alerts/rules/" + rule,
                        "{\"for\":\"0s\",\"clear_for\":\"0s\"," + more + "\"revision\":" + revision
                                + ",\"reason\":\"x\"}")
                .expect(200);
    }

    private void pass() {
        clock.advance(Duration.ofMillis(500));
        node.runs(version);
    }

    private JsonNode await(String kind, String state) {
        Await.until(kind + " is " + state, SOON, () -> {
            pass();
            center.step();
            return find(kind, state).isPresent();
        });
        return find(kind, state).orElseThrow();
    }

    private Optional<JsonNode> find(String kind, String state) {
        return all(kind, state).stream().findFirst();
    }

    private List<JsonNode> all(String kind, String state) {
        return StreamSupport.stream(api.get("/api/alerts").expect(200).json().spliterator(), false)
                .filter(isOf(kind, state))
                .toList();
    }

    private static Predicate<JsonNode> isOf(String kind, String state) {
        return alert -> alert.get("kind").asString().equals(kind)
                && alert.get("state").asString().equals(state);
    }
}
