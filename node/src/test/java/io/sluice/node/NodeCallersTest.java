package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.Store;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.caller.CallerQuestion.Kind;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.Subject;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node tells its center about callers that it refused. */
@Timeout(600)
class NodeCallersTest {

    private static final String RULES = """
            rules:
              - id: here
                resource: /here
                limits: [{ by: user, algorithm: fixed_window, limit: 1, align: year }]
              - { id: banned, resource: /banned, action: deny }
            """;

    private static final String SECRET = "rules: [{ id: secret, resource: /secret, limits: [{ by: user,"
            + " algorithm: fixed_window, limit: 1, align: year, privacy: hash }, { id: t, by: [tenant, user],"
            + " algorithm: fixed_window, limit: 1, align: year }] }]";

    @TempDir
    private Path folder;

    private CenterStub center = CenterStub.start().answerReports(200, fleet(0, List.of()));
    private final List<RefusedMinute> minutes = new ArrayList<>();
    private long stored;

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void theCenterHearsMaskedCallersAndHashesButNeverWhoTheyAre() throws Exception {
        List<String> reports = new ArrayList<>();
        // A node that stops sends what it has if the center answers quickly. On a busy machine it may not, so this is
        // tried again.
        for (int attempt = 0; attempt < 20 && reports.isEmpty(); attempt++) {
            try (RunningNode node = RunningNode.start(config("a" + attempt, RULES), Store::redis)) {
                for (int i = 0; i < 4; i++) {
                    node.check(request("/here", "alice-4711"));
                }
                node.check(request("/here", "bob-1"));
                node.check(request("/banned", "alice-4711"));
            }
            List<String> heard = new ArrayList<>();
            // Not a bound: after it, all of this is tried again.
            if (Await.within(Duration.ofSeconds(10), () -> {
                heard.addAll(drain());
                return counts("", "", "ip").equals(Map.of("203.0.113.*", 4L));
            })) {
                reports.addAll(heard);
            } else {
                center.close();
                center = CenterStub.start().answerReports(200, fleet(0, List.of()));
                minutes.clear();
                stored = 0;
            }
        }
        assertThat(reports).noneMatch(text -> text.contains("alice-4711") || text.contains("203.0.113.7"));
        assertThat(counts("here", "here.0", "user")).isEqualTo(Map.of("a****11", 3L));
        assertThat(counts("banned", "", "ip")).isEqualTo(Map.of("203.0.113.*", 1L));
        assertThat(counts("", "", "ip")).isEqualTo(Map.of("203.0.113.*", 4L));
        assertThat(counts("", "", "user")).isEqualTo(Map.of("a****11", 4L));
        assertThat(counts("", "", "tenant")).isEqualTo(Map.of("a****", 4L));
        long allowed = minutes.stream()
                .flatMap(each -> each.tenants().stream())
                .mapToLong(each -> each.figures().allowed())
                .sum();
        long refused = minutes.stream()
                .flatMap(each -> each.tenants().stream())
                .mapToLong(each -> each.figures().refused())
                .sum();
        assertThat(allowed).isEqualTo(2);
        assertThat(refused).isEqualTo(4);
    }

    @Test
    void answersWhoACallerIsAndWhatItsLimitsAre() throws Exception {
        try (RunningNode node = RunningNode.start(config("a", RULES), Store::redis)) {
            node.check(request("/here", "alice-4711"));
            node.check(request("/here", "alice-4711"));
            String hash = hash("a", "alice-4711");
            String unknown = "x".repeat(43);
            ask(
                    new CallerQuestion(1, hash, Kind.REVEAL),
                    new CallerQuestion(2, hash, Kind.EXPLAIN),
                    new CallerQuestion(3, unknown, Kind.REVEAL),
                    new CallerQuestion(4, unknown, Kind.EXPLAIN));
            NodeReport report = report(each -> each.answers().callers().size() == 4);
            assertThat(answer(report, 1).content())
                    .contains("{\"attributes\":{\"ip\":\"203.0.113.7\",\"tenant\":\"acme\",\"user\":\"alice-4711\"},"
                            + "\"hidden\":[]}");
            String explained = answer(report, 2).content().orElseThrow();
            assertThat(explained).doesNotContain("alice-4711").contains("\"key\":\"user=al***\"", hash);
            JsonObject limit =
                    JsonObject.parse(explained, 100_000).objects("limits").get(0);
            assertThat(limit.text("id")).isEqualTo("here.0");
            assertThat(limit.whole("remaining", 0, 100)).isZero();
            assertThat(answer(report, 3).content()).isEmpty();
            assertThat(answer(report, 4).content()).isEmpty();
            assertThat(report.toString()).doesNotContain("alice-4711");

            // The center has the answers and asks no more.
            ask();
            report(each -> each.answers().callers().isEmpty());
        }
    }

    @Test
    void explainsARequestThatItHasNeverSeenAndConsumesNothing() throws Exception {
        try (RunningNode node = RunningNode.start(config("a", RULES), Store::redis)) {
            CallerQuestion question = CallerQuestion.about(1, Map.of("path", "/here", "user", "carol-4711"));
            for (int i = 0; i < 2; i++) {
                ask(question);
                String told = answer(report(each -> each.answers().callers().size() == 1), 1)
                        .content()
                        .orElseThrow();
                JsonObject limit =
                        JsonObject.parse(told, 100_000).objects("limits").get(0);
                assertThat(limit.text("id")).isEqualTo("here.0");
                assertThat(limit.whole("remaining", 0, 100)).isEqualTo(1);
                assertThat(told).doesNotContain("carol-4711").contains("\"key\":\"user=ca***\"");
                ask();
                report(each -> each.answers().callers().isEmpty());
            }
        }
    }

    @Test
    void aValueThatALimitHashesIsNeitherToldNorRevealed() throws Exception {
        try (RunningNode node = RunningNode.start(config("a", SECRET), Store::redis)) {
            node.check(request("/secret", "alice-4711"));
            node.check(request("/secret", "alice-4711"));
            node.check(request("/secret", "alice-4711"));
            String hash = hash("a", "alice-4711");
            ask(new CallerQuestion(1, hash, Kind.REVEAL), new CallerQuestion(2, hash, Kind.EXPLAIN));
            NodeReport report = report(each -> each.answers().callers().size() == 2);
            assertThat(answer(report, 1).content())
                    .contains("{\"attributes\":{\"ip\":\"203.0.113.7\",\"tenant\":\"acme\"},\"hidden\":[\"user\"]}");
            assertThat(answer(report, 2).content().orElseThrow())
                    .contains("\"key\":\"user=***\"", "\"key\":\"tenant=***&user=***\"", hash)
                    .doesNotContain("al***");
        }
    }

    @Test
    void anErasedCallerIsUnknown() throws Exception {
        try (RunningNode node = RunningNode.start(config("a", RULES), Store::redis)) {
            node.check(request("/here", "alice-4711"));
            node.check(request("/here", "alice-4711"));
            String hash = hash("a", "alice-4711");
            ask(new CallerQuestion(1, hash, Kind.REVEAL));
            assertThat(answer(report(each -> !each.answers().callers().isEmpty()), 1)
                            .content())
                    .isPresent();
            Fleet order = new Fleet(1, 1, "", 0)
                    .with(Optional.empty(), List.of(new ErasureOrder(7, new Subject("user", "alice-4711", Map.of()))));
            center.answerReports(200, order.toJson());
            NodeReport erased = report(each -> !each.answers().erased().isEmpty());
            assertThat(erased.answers().erased().get(0).removed().get("refused_callers"))
                    .isPositive();
            ask(new CallerQuestion(2, hash, Kind.REVEAL));
            NodeReport after = report(each -> each.answers().callers().stream().anyMatch(answer -> answer.id() == 2));
            assertThat(answer(after, 2).content()).isEmpty();
        }
    }

    /** Otherwise a caller would be another one at each node. */
    @Test
    void nodesOnOneRedisAgreeOnAKeyAndKeepIt() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RunningNode one = RunningNode.onRedis(config("one", RULES).withRedis(redis.uri()))) {
            one.check(request("/banned", "alice-4711"));
            try (RunningNode other = RunningNode.onRedis(config("other", RULES).withRedis(redis.uri()))) {
                other.check(request("/banned", "alice-4711"));
                String key = Files.readString(folder.resolve("one/caller-key"), StandardCharsets.US_ASCII);
                Await.until("the same key", Duration.ofMinutes(5), () -> key(folder.resolve("other/caller-key"))
                        .equals(key(folder.resolve("one/caller-key"))));
                assertThat(PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(folder.resolve("other/caller-key"))))
                        .isEqualTo("rw-------");
                assertThat(key).hasSize(65);
            }
        }
        try (Stream<Path> left = Files.list(folder.resolve("other"))) {
            assertThat(left).noneMatch(each -> each.toString().endsWith(".tmp"));
        }
    }

    private static String key(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return file.toString();
        }
    }

    private NodeConfig config(String data, String rules) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(center.url(), token))
                .withRules(new RulesFrom.Text("rules.yaml", rules))
                .withData(folder.resolve(data));
    }

    private static String request(String path, String user) {
        return "{\"attributes\": {\"user\": \"" + user
                + "\", \"tenant\": \"acme\", \"ip\": \"203.0.113.7\", \"path\": \"" + path + "\"}}";
    }

    private static String fleet(long stored, List<CallerQuestion> questions) {
        return new Fleet(1, 1, "", 0).with(OptionalLong.of(stored), questions).toJson();
    }

    private void ask(CallerQuestion... questions) {
        center.answerReports(200, fleet(stored, List.of(questions)));
    }

    private static CallerAnswer answer(NodeReport report, long id) {
        return report.answers().callers().stream()
                .filter(each -> each.id() == id)
                .findFirst()
                .orElseThrow();
    }

    private NodeReport report(Predicate<NodeReport> wanted) throws InterruptedException {
        while (true) {
            NodeReport report = read(center.report());
            if (wanted.test(report)) {
                return report;
            }
        }
    }

    private NodeReport read(String text) {
        NodeReport report = NodeReport.parse(text);
        report.data().traffic().ifPresent(data -> {
            for (DataBatch batch : data.batches()) {
                if (batch.number() > stored && batch.kind() == DataBatch.Kind.CALLERS) {
                    minutes.add(RefusedMinute.of(batch.content()));
                }
                stored = Math.max(stored, batch.number());
            }
        });
        return report;
    }

    /** Returns the hash of a user, with the key that the node keeps. */
    private String hash(String data, String user) throws Exception {
        String key = Files.readString(folder.resolve(data).resolve("caller-key"), StandardCharsets.US_ASCII);
        KeySecret secret = KeySecret.of(HexFormat.of().parseHex(key.strip()));
        return new CallerMarks(new KeySettings(secret, 64))
                .of(RuleSet.none(), "user", Attributes.of(Map.of("user", user)))
                .orElseThrow()
                .hash();
    }

    private List<String> drain() {
        List<String> all = center.reports();
        all.forEach(this::read);
        return all;
    }

    /** Returns how often each caller of a group was refused, over all minutes. */
    private Map<String, Long> counts(String rule, String limit, String attributes) {
        FrequentCallers all = new FrequentCallers(128);
        minutes.stream()
                .flatMap(each -> each.groups().stream())
                .filter(each -> each.rule().equals(rule)
                        && each.limit().equals(limit)
                        && each.attributes().equals(attributes))
                .forEach(each -> all.merge(FrequentCallers.of(each.frequent(), 128)));
        Map<String, Long> counts = new HashMap<>();
        all.counted().forEach(each -> counts.merge(each.caller().masked(), each.most(), Long::sum));
        return counts;
    }
}
