package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import io.sluice.testkit.http.CenterStub;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose callers try a version, and whose rules are adjusted. */
@Timeout(300)
class NodeTrialTest {

    private static final String KEY = "0123456789abcdef";
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    @TempDir
    private Path folder;

    private final CenterStub center = CenterStub.start().answerReports(200, new Fleet(1, 1, "", 0).toJson());

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void callersTryAVersionAndTheNodeShowsAndCountsIt() throws Exception {
        center.greet(rules(set(12, "a", 100)) + trial(set(13, "a", 0)) + state(12, callers("u-1"), Adjustments.NONE));
        try (RunningNode node = RunningNode.start(config(), Store::redis)) {
            await().until(() -> node.node.rules().trial() != null);
            // Whatever was counted before, such as the warm-up, is no part of the trial.
            for (int i = 0; i < 3; i++) {
                assertThat(check(node, "u-1", 1).statusCode()).isEqualTo(429);
                assertThat(check(node, "u-2", 1).statusCode()).isEqualTo(200);
            }
            assertThat(check(node, "u-1", 0).statusCode()).isEqualTo(200);
            assertThat(node.check("{\"attributes\": {\"path\": \"/\"}}").statusCode())
                    .isEqualTo(200);

            NodeReport report = report(each -> each.data().tally().requests() == 7);
            assertThat(report.data().tally().refused()).isEqualTo(3);
            TrialReport trial = report.data().trial().orElseThrow();
            assertThat(trial.version()).isEqualTo(13);
            assertThat(trial.digest()).isEqualTo(set(13, "a", 0).digest());
            assertThat(sum(trial.trial())).isEqualTo(new Tally(3, 3, 0, 0, 0, 0));
            assertThat(sum(trial.control())).isEqualTo(new Tally(3, 0, 0, 0, 0, 0));
            int group = CallerSplit.share("user", KEY, 1).place("u-2", 13).group();
            assertThat(trial.control().get(group).requests()).isEqualTo(3);

            assertThat(node.get("/v1/rules").body())
                    .contains(",\"trial\":{\"version\":13,\"digest\":\""
                            + set(13, "a", 0).digest()
                            + "\",\"who\":\"1 named by user\"},\"adjustments\":{\"revision\":0,"
                            + "\"overrides\":0,\"switches\":0},\"rules\":[");

            center.listener().send(rules(set(13, "a", 0)) + state(13, "null", Adjustments.NONE));
            assertThat(report(each -> each.rules().version() == 13
                                    && each.data().trial().isEmpty())
                            .data()
                            .tally()
                            .requests())
                    .isEqualTo(7);
            assertThat(node.get("/v1/rules").body()).contains("\"trial\":null");
            assertThat(check(node, "u-2", 1).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void adjustmentsShowUpInExplanationsAndFindings() throws Exception {
        center.greet(rules(set(1, "a", 0)) + state(1, "null", Adjustments.NONE));
        try (RunningNode node = RunningNode.start(config(), Store::redis)) {
            CenterStub.Listener listener = center.listener();
            Matcher hash = Pattern.compile("\"hash\":\"([0-9A-Za-z_-]{43})\"").matcher(explain(node, "u-1"));
            assertThat(hash.find()).isTrue();
            assertThat(hash.find())
                    .as("only the limit with hashed callers has one")
                    .isFalse();
            hash.reset();
            assertThat(hash.find()).isTrue();

            listener.send(state(
                    1,
                    "null",
                    new Adjustments(
                            7,
                            List.of(
                                    override("a", "a.hashed", new Caller.ByHash(hash.group(1))),
                                    override("b", "b.0", new Caller.ByValue("user", "u-1"))),
                            List.of())));
            report(each -> each.rules().adjustments() == 7);
            assertThat(explain(node, "u-1"))
                    .contains("\"id\":\"a.hashed\",\"algorithm\":\"fixed_window\",\"limit\":55,");
            assertThat(explain(node, "u-1")).containsOnlyOnce("\"override\":true");
            assertThat(explain(node, "u-2")).doesNotContain("\"override\":true");
            assertThat(node.get("/health").body())
                    .contains("adjustments that do not fit the rules are left out: o-b: rule: b (expected: a rule in"
                            + " force)");
            assertThat(node.get("/v1/rules").body())
                    .contains("\"adjustments\":{\"revision\":7,\"overrides\":2,\"switches\":0}");

            assertThat(check(node, "u-1", 1).statusCode()).isEqualTo(200);
            assertThat(check(node, "u-2", 1).statusCode()).isEqualTo(429);
            listener.send(state(
                    1, "null", new Adjustments(8, List.of(), List.of(new ShadowSwitch("s", Optional.of("a"), LATER)))));
            report(each -> each.rules().adjustments() == 8);
            assertThat(check(node, "u-2", 1).statusCode()).isEqualTo(200);
            assertThat(explain(node, "u-1")).contains("\"shadow\":true").doesNotContain("\"shadow\":false");
            assertThat(node.get("/health").body()).doesNotContain("adjustments");
            assertThat(node.node.rules().version()).isEqualTo(1);
        }
    }

    @Test
    void answersOfUpstreamsAreCounted() throws Exception {
        HttpServer upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().equals("/bad") ? 500 : 200, -1);
            exchange.close();
        });
        upstream.start();
        int closed;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = free.getLocalPort();
        }
        Path routes = Files.writeString(folder.resolve("sluice.yaml"), """
                routes:
                  - { path: /gone, service: gone, upstreams: ["http://127.0.0.1:%d"], auth: open }
                  - { path: /**, service: shop, upstreams: ["http://127.0.0.1:%d"], auth: open }
                """.formatted(
                        closed, upstream.getAddress().getPort()));
        RuleSet main = early(12);
        center.greet(rules(main)
                + trial(early(13))
                + state(12, "\"13 named 127.0.0.1 by ip key " + KEY + "\"", Adjustments.NONE));
        try (RunningNode node = RunningNode.start(config().withGateway(0, new RoutesFrom.File(routes)), Store::redis)) {
            await().until(() -> node.node.rules().trial() != null);
            assertThat(call(node, "/good")).isEqualTo(200);
            assertThat(call(node, "/good")).isEqualTo(200);
            assertThat(call(node, "/bad")).isEqualTo(500);
            assertThat(call(node, "/gone")).isEqualTo(502);
            assertThat(call(node, "/none")).isEqualTo(403);

            NodeReport report = report(each -> each.data().tally().requests() == 5);
            Tally all = report.data().tally();
            assertThat(all.refused()).isEqualTo(1);
            assertThat(all.answers()).isEqualTo(4);
            assertThat(all.errors()).isEqualTo(2);
            assertThat(all.latencyMicros()).isPositive();
            assertThat(sum(report.data().trial().orElseThrow().trial())).isEqualTo(all);
            assertThat(sum(report.data().trial().orElseThrow().control())).isEqualTo(Tally.NONE);
        } finally {
            upstream.stop(0);
        }
    }

    private NodeConfig config() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(center.url(), token))
                .withHashKey(KeySecret.random())
                .withRules(new RulesFrom.Center());
    }

    private static HttpResponse<String> check(RunningNode node, String user, int permits) {
        return node.check("{\"attributes\": {\"user\": \"" + user + "\"}, \"permits\": " + permits + "}");
    }

    private static String explain(RunningNode node, String user) {
        return node.send(node.request("/v1/explain")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\": {\"user\": \"" + user + "\"}}")))
                .body();
    }

    private static int call(RunningNode node, String path) {
        URI gateway = node.node.gateway().orElseThrow();
        return node.send(HttpRequest.newBuilder(gateway.resolve(path))).statusCode();
    }

    private NodeReport report(Predicate<NodeReport> wanted) throws InterruptedException {
        NodeReport report;
        do {
            report = NodeReport.parse(center.report());
        } while (!wanted.test(report));
        return report;
    }

    private static Tally sum(List<Tally> tallies) {
        return tallies.stream()
                .reduce(
                        Tally.NONE,
                        (a, b) -> new Tally(
                                a.requests() + b.requests(),
                                a.refused() + b.refused(),
                                a.degraded() + b.degraded(),
                                a.answers() + b.answers(),
                                a.errors() + b.errors(),
                                a.latencyMicros() + b.latencyMicros()));
    }

    private static CallerOverride override(String rule, String limit, Caller caller) {
        return new CallerOverride("o-" + rule, rule, limit, caller, "{\"limit\":55}", LATER);
    }

    private static String callers(String name) {
        return "\"13 named " + name + " by user key " + KEY + "\"";
    }

    private static String rules(RuleSet set) {
        return CenterStub.rules(set.version(), set.digest(), text(set));
    }

    private static String trial(RuleSet set) {
        StringBuilder event = new StringBuilder("event: trial\n");
        text(set).lines().forEach(line -> event.append("data: ").append(line).append('\n'));
        return event.append('\n').toString();
    }

    private static String state(long version, String trial, Adjustments adjustments) {
        return "event: state\ndata: {\"version\":" + version + ",\"trial\":" + trial + ",\"adjustments\":"
                + adjustments.toJson() + "}\n\n";
    }

    private static String text(RuleSet set) {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set, text::append);
        return text.toString();
    }

    private static RuleSet set(long version, String id, int limit) {
        return parsed(version, """
                rules:
                  - id: %s
                    match: { user: "*" }
                    limits:
                      - { id: hashed, by: user, limit: %d, window: 1d, algorithm: fixed_window, privacy: hash }
                      - { id: plain, by: user, limit: 1000, window: 1d, algorithm: fixed_window }
                """.formatted(id, limit));
    }

    /** A request passes an early rule and is decided again; one is refused early. */
    private static RuleSet early(long version) {
        return parsed(version, """
                rules:
                  - { id: door, for: early, limits: [{ by: ip, limit: %d, window: 1d }] }
                  - { id: shut, action: deny, resource: /none }
                  - { id: all, limits: [{ by: ip, limit: 1000, window: 1d }] }
                """.formatted(1000 + version));
    }

    private static RuleSet parsed(long version, String text) {
        RuleDocument document = RuleDocument.parse("test", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(version, ((RuleDocument.Accepted) document).rules());
    }
}
