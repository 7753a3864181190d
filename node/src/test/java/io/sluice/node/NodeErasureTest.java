package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.history.HistoryWriter;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.erasure.Subject;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A node whose center orders it to erase a user. */
@Timeout(600)
class NodeErasureTest {

    private static final String VALUE = "alice-4711";
    private static final String RULES = """
            rules:
              - id: here
                resource: /here
                mode: local
                limits: [{ by: user, algorithm: fixed_window, limit: 1, align: year }]
              - id: there
                resource: /there
                limits:
                  - { by: user, algorithm: fixed_window, limit: 1000, align: year }
                  - { id: hidden, by: [tenant, user], algorithm: fixed_window, limit: 1000, align: year, privacy: hash }
            """;

    private static final Logger SLUICE = (Logger) LoggerFactory.getLogger("io.sluice");
    private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();

    @TempDir
    private Path folder;

    private final CenterStub center = CenterStub.start().answerReports(200, fleet(List.of()));

    /** Once and before any node starts, because Logback may lose an appender that is added while another thread logs. */
    @BeforeAll
    static void capture() {
        LOG.list = new CopyOnWriteArrayList<>();
        LOG.start();
        SLUICE.addAppender(LOG);
        SLUICE.setLevel(Level.INFO);
    }

    @AfterAll
    static void release() {
        SLUICE.setLevel(null);
        SLUICE.detachAppender(LOG);
    }

    @AfterEach
    void close() {
        center.close();
    }

    private static Stream<String> lines() {
        return LOG.list.stream().map(ILoggingEvent::getFormattedMessage);
    }

    private static String fleet(List<ErasureOrder> orders) {
        return new Fleet(1, 1, "", 0).with(Optional.empty(), orders).toJson();
    }

    private NodeConfig config(RulesFrom rules) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(center.url(), token))
                .withData(folder.resolve("data"))
                .withRules(rules);
    }

    private static String here(String user) {
        return "{\"attributes\": {\"user\": \"" + user + "\", \"tenant\": \"acme\", \"path\": \"/here\"}}";
    }

    private static String there(String user) {
        return here(user).replace("/here", "/there");
    }

    private ErasureResult result() throws InterruptedException {
        while (true) {
            NodeReport report = NodeReport.parse(center.report());
            if (!report.answers().erased().isEmpty()) {
                return report.answers().erased().get(0);
            }
        }
    }

    private void record() throws IOException {
        Path recordings = Files.createDirectories(folder.resolve("data/recordings"));
        Limit limit = Limit.named("there.0").fixedWindow(3, Duration.ofDays(1));
        try (HistoryWriter writer = HistoryWriter.open(recordings.resolve("n1.history"), "n1")) {
            Demand demand = Demand.of(limit, "user=" + VALUE, 1);
            Verdict verdict = new Verdict(true, 1, 2, 0, 5, 0, 7);
            writer.happened(new StepEvent(
                    "rate_limit:there.0:fw1d:user=" + VALUE,
                    1,
                    1,
                    true,
                    7,
                    new StepEvent.Asked("1", demand, true, 9, verdict)));
        }
    }

    @Test
    void removesCountsAndRecordingsAndReportsItWithoutEverNamingTheUser() throws Exception {
        RedisServer redis = RedisServer.shared();
        record();
        Path file = Files.writeString(folder.resolve("rules.yaml"), RULES.replace(", privacy: hash", ""));
        NodeConfig config = config(new RulesFrom.File(file)).withRedis(redis.uri());
        try (RunningNode node = RunningNode.onRedis(config)) {
            await().atMost(Duration.ofMinutes(5)).until(() -> {
                node.check(there(VALUE));
                node.check(there("bob"));
                return redis.command("KEYS", "*user=" + VALUE).list().size() == 2
                        && redis.command("KEYS", "*user=bob").list().size() == 2;
            });
            for (String user : List.of(VALUE, "bob")) {
                assertThat(node.check(here(user)).statusCode()).isEqualTo(200);
                assertThat(node.check(here(user)).statusCode()).isEqualTo(429);
            }

            Subject subject = new Subject("user", VALUE, Map.of("tenant", "acme"));
            center.answerReports(200, fleet(List.of(new ErasureOrder(7, subject))));
            ErasureResult result = result();
            center.answerReports(200, fleet(List.of()));
            assertThat(result.id()).isEqualTo(7);
            assertThat(result.removed()).isEqualTo(Map.of("counts", 3L, "recordings", 1L, "refused_callers", 1L));
            assertThat(result.left()).isEmpty();
            assertThat(result.hashes()).isNotEmpty();

            assertThat(redis.command("KEYS", "*" + VALUE + "*").list()).isEmpty();
            assertThat(redis.command("KEYS", "*user=bob").list()).hasSize(2);
            assertThat(LiveFolder.filesWith(folder.resolve("data"), VALUE)).isEmpty();
            String done = "erasure 7 of a user is done; removed: {counts=3, recordings=1, refused_callers=1}";
            await().atMost(Duration.ofMinutes(5)).until(() -> lines().anyMatch(line -> line.startsWith(done)));
            assertThat(lines()).noneMatch(line -> line.contains(VALUE));
            assertThat(node.check(here("bob")).statusCode()).isEqualTo(429);
            assertThat(node.check(here(VALUE)).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void findsHashedCountsOfItsOwnWithoutARedis() throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yaml"), RULES);
        try (RunningNode node = RunningNode.start(config(new RulesFrom.File(file)), Store::redis)) {
            assertThat(node.check(there(VALUE)).statusCode()).isEqualTo(200);
            assertThat(node.check(here(VALUE)).statusCode()).isEqualTo(200);
            assertThat(node.check(here(VALUE)).statusCode()).isEqualTo(429);
            Subject subject = new Subject("user", VALUE, Map.of("tenant", "acme"));
            center.answerReports(200, fleet(List.of(new ErasureOrder(9, subject))));
            ErasureResult result = result();
            assertThat(result.removed()).containsEntry("counts", 3L);
            assertThat(result.left()).isEmpty();
            assertThat(node.check(here(VALUE)).statusCode()).isEqualTo(200);
        }
    }

    /** The center takes an override away. What the node keeps for its next start has never had it. */
    @Test
    void theRulesKeptForTheNextStartDoNotNameCallers() throws Exception {
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("r", RULES)).rules());
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set, text::append);
        CallerOverride override = new CallerOverride(
                "o1",
                "here",
                "here.0",
                new Caller.ByValue("user", VALUE),
                "{\"limit\":5}",
                Instant.parse("2999-01-01T00:00:00Z"));
        center.greet(CenterStub.rules(1, set.digest(), text.toString())
                + state(new Adjustments(7, List.of(override), List.of())));
        try (RunningNode node = RunningNode.start(config(new RulesFrom.Center()), Store::redis)) {
            CenterStub.Listener listener = center.listener();
            await().atMost(Duration.ofMinutes(5)).until(() -> node.node.rules().adjustments() == 7);
            await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(folder.resolve("data/kept-rules.json")));
            assertThat(LiveFolder.filesWith(folder.resolve("data"), VALUE)).isEmpty();
            listener.send(state(new Adjustments(8, List.of(), List.of())));
            await().atMost(Duration.ofMinutes(5)).until(() -> node.node.rules().adjustments() == 8);
        }
        assertThat(LiveFolder.filesWith(folder.resolve("data"), VALUE)).isEmpty();
    }

    private static String state(Adjustments adjustments) {
        return "event: state\ndata: {\"version\":1,\"trial\":null,\"adjustments\":" + adjustments.toJson() + "}\n\n";
    }
}
