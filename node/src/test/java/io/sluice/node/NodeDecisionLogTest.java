package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.Subject;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.http.CenterStub;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that logs its decisions, to files and to its center. */
@Timeout(600)
class NodeDecisionLogTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String RULES = """
            rules:
              - { id: login, resource: /login, mode: local, limits: [{ by: user, algorithm: fixed_window, limit: 1, align: year }] }
            """;

    @TempDir
    private Path folder;

    private static String login(String user) {
        return "{\"attributes\": {\"user\": \"" + user + "\", \"path\": \"/login\", \"service\": \"shop\"}}";
    }

    private NodeConfig config(String decisions) throws Exception {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0)
                .withDecisions(ConfigFile.parse(folder.resolve("sluice.yaml"), decisions)
                        .decisions());
    }

    private List<DecisionEntry> logged() {
        return logged(folder.resolve("log"));
    }

    private static List<DecisionEntry> logged(Path log) {
        List<DecisionEntry> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(log)) {
            for (Path file :
                    files.filter(each -> each.toString().contains(".jsonl")).toList()) {
                try (InputStream bytes = Files.newInputStream(file);
                        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes) {
                    String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    // A line that is being written has no end yet.
                    text.substring(0, text.lastIndexOf('\n') + 1)
                            .lines()
                            .map(DecisionEntry::parse)
                            .forEach(all::add);
                }
            }
        } catch (NoSuchFileException e) {
            // A finished file is being compressed.
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    @Test
    void writesTheChosenDecisionsToItsFilesAndErasesThem() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        try (CenterStub center = CenterStub.start().answerReports(200, fleet(List.of()));
                RunningNode node = RunningNode.start(
                        config("decisions: { dir: log, allowed_share: 1 }")
                                .withCenter(CenterAddress.of(center.url(), token)),
                        Store::redis)) {
            for (String user : List.of("alice-4711", "bob-0815")) {
                assertThat(node.check(login(user)).statusCode()).isEqualTo(200);
                assertThat(node.check(login(user)).statusCode()).isEqualTo(429);
            }
            Await.until("four decisions are logged", PATIENCE, () -> logged().size() == 4);
            assertThat(logged())
                    .filteredOn(each -> each.outcome() == Outcome.REJECTED)
                    .hasSize(2);
            assertThat(logged())
                    .allMatch(
                            each -> each.service().equals("shop") && each.rule().equals("login"));
            String counted = "rate_limit_decisions_logged_total{place=\"file\"} 4.0";
            Await.until("the metric tells", PATIENCE, () -> node.get("/metrics")
                    .body()
                    .contains(counted));

            Subject subject = new Subject("user", "alice-4711", Map.of());
            center.answerReports(200, fleet(List.of(new ErasureOrder(7, subject))));
            NodeReport report = NodeReport.parse(center.report());
            while (report.answers().erased().isEmpty()) {
                report = NodeReport.parse(center.report());
            }
            assertThat(report.answers().erased().get(0).removed()).containsEntry("decisions", 2L);
            Await.until("two decisions are left", PATIENCE, () -> logged().size() == 2);
        }
    }

    /** A44. The value stands in the path, the query, two headers, the request's id and the body of requests that pass and are refused. */
    @Test
    void aValueThatALimitCountsByIsMaskedThroughAWholeGateway() throws Exception {
        String phone = "491701234567";
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        String body = "{\"phone\": \"" + phone + "\"}";
        for (String by : List.of("header.x-phone", "query.phone", "json.phone")) {
            String rules = "rules: [{ id: sms, mode: local, limits: [{ by: " + by + ", limit: 1, window: 1h }] }]";
            try (RawUpstream upstream = RawUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                    CenterStub center = CenterStub.start().answerReports(200, fleet(List.of()))) {
                Path routes = Files.writeString(
                        folder.resolve("routes.yaml"),
                        "routes: [{ path: /**, service: shop, upstreams: [\"" + upstream.origin()
                                + "\"], auth: open }]");
                Path log = folder.resolve(by);
                NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0)
                        .withGateway(0, new RoutesFrom.File(routes))
                        .withDecisions(ConfigFile.parse(
                                        folder.resolve("sluice.yaml"),
                                        "decisions: { dir: '" + log + "', allowed_share: 1 }")
                                .decisions())
                        .withCenter(CenterAddress.of(center.url(), token));
                try (RunningNode node = RunningNode.start(config, Store::redis);
                        RawClient client = new RawClient(new Socket(
                                InetAddress.getLoopbackAddress(),
                                node.node.gateway().orElseThrow().getPort()))) {
                    for (int status : List.of(200, 429)) {
                        client.send("POST /send/" + phone + "/now?phone=%34%391701234567&to=" + phone
                                + " HTTP/1.1\r\nHost: shop\r\nX-Phone: " + phone + "\r\nX-Other: " + phone
                                + "\r\nX-Request-Id: id-" + phone
                                + "\r\nContent-Type: application/json\r\nContent-Length: "
                                + body.length() + "\r\n\r\n" + body);
                        assertThat(client.message()).as(by).startsWith("HTTP/1.1 " + status);
                    }
                    Await.until("both are logged", PATIENCE, () -> logged(log).size() == 2);
                    assertThat(logged(log)).allSatisfy(entry -> {
                        assertThat(entry.toJson()).as(by).doesNotContain(phone);
                        assertThat(entry.resource()).isEqualTo("/send/4****67/now");
                        assertThat(entry.requestId()).isEqualTo("id-4****67");
                        assertThat(entry.caller().orElseThrow().masked()).isEqualTo("4****67");
                    });
                    String report = center.report();
                    while (decisions(report).isEmpty()) {
                        report = center.report();
                    }
                    assertThat(report).doesNotContain(phone);
                }
            }
        }
    }

    @Test
    void sendsItsCenterASampleWithoutAnyConfiguration() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        try (CenterStub center = CenterStub.start().answerReports(200, fleet(List.of()))) {
            NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0)
                    .withCenter(CenterAddress.of(center.url(), token));
            try (RunningNode node = RunningNode.start(config, Store::redis)) {
                for (int i = 0; i < 4; i++) {
                    node.check(login("carol-99"));
                }
                Map<Long, List<DecisionEntry>> sample = new TreeMap<>();
                while (sample.values().stream()
                                .flatMap(List::stream)
                                .filter(each -> each.outcome() == Outcome.REJECTED)
                                .count()
                        < 3) {
                    sample.putAll(decisions(center.report()));
                }
                assertThat(sample.values().stream().flatMap(List::stream))
                        .allMatch(each -> each.dimensions().get("user").masked().equals("c****99"));
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly("token");
        }
    }

    private static Map<Long, List<DecisionEntry>> decisions(String json) {
        Map<Long, List<DecisionEntry>> found = new TreeMap<>();
        NodeReport.parse(json).data().traffic().ifPresent(data -> {
            for (DataBatch batch : data.batches()) {
                if (batch.kind() == Kind.DECISIONS) {
                    found.put(batch.number(), DecisionEntry.list(batch.content()));
                }
            }
        });
        return found;
    }

    private static String fleet(List<ErasureOrder> orders) {
        return new Fleet(1, 1, "", 0).with(Optional.empty(), orders).toJson();
    }

    @Test
    void doesNotStartIfAnotherProcessUsesTheDirectory() throws Exception {
        NodeConfig config = config("decisions: { dir: log }");
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            assertThat(node.check(login("a")).statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> RunningNode.start(config, Store::redis))
                    .isInstanceOf(StartFailedException.class)
                    .hasMessageContaining("is in use by another process");
        }
        RunningNode.start(config, Store::redis).close();
    }
}
