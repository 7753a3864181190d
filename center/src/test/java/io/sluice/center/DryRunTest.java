package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.runtime.recording.ExcerptQuestion;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.QuietClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Somebody who writes a rule learns what it would have refused in the last hour of recordings. */
@Timeout(600)
class DryRunTest {

    private static final long SECOND = 1_000_000;
    private static final String RULES = """
            rules:
              - id: login
                resource: /login
                methods: [POST]
                limits:
                  - { by: ip, algorithm: fixed_window, limit: 100, window: 1m }
              - id: acme
                tenant: acme
                match: { tenant: acme }
                limits:
                  - { by: ip, limit: 50, window: 1m }
            """;

    @TempDir
    static Path data;

    /** It stands still while nodes answer, so that no answer comes too late. */
    private static final QuietClock CLOCK = QuietClock.at(1_800_057_600_000_000L);

    /** Reports of one node must have rising numbers. */
    private static final Map<String, FakeNode> NODES = new TreeMap<>();

    private static Center center;
    private static ApiClient api;

    @BeforeAll
    static void start() throws Exception {
        center = Center.open(PreparedCenter.in(data.resolve("center")), CLOCK);
        api = ApiClient.of(center);
        long unused = api.release(api.send("POST", "/api/changes?title=t&reason=r&base=0", "application/yaml", RULES)
                .expect(201));
    }

    /** Nodes live on while the clock stands still. They record nothing in the next test. */
    @AfterEach
    void recordNothing() {
        NODES.values().forEach(node -> node.recordsNothing().keepsItsOwn());
        CLOCK.advance(Duration.ofMinutes(2));
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void saysThatNobodyRecords() throws Exception {
        String change = "{\"edits\":[" + ApiClient.put("login", 5) + "]}";
        try (Center other = Center.open(PreparedCenter.in(data.resolve("alone")), CLOCK)) {
            ApiClient client = ApiClient.of(other);
            JsonNode alone =
                    client.post("/api/changes/dry-run", change).expect(200).json();
            assertThat(alone.at("/nodes/answered").asInt()).isZero();
            assertThat(alone.at("/nodes/not_recording").asInt()).isZero();
            assertThat(alone.get("from").isNull()).isTrue();
            assertThat(alone.get("notes")).isEmpty();
            assertThat(new FakeNode(client, "plain").keepsItsOwn().excerpts()).isEmpty();
            JsonNode said =
                    client.post("/api/changes/dry-run", change).expect(200).json();
            assertThat(said.at("/nodes/not_recording").asInt()).isEqualTo(1);
            assertThat(said.get("requests").asLong()).isZero();
        }
    }

    @Test
    void saysWhatAStricterLimitWouldHaveRefused() {
        long begin = minute(40);
        RecordedTraffic traffic = new RecordedTraffic(hourAgo());
        for (int i = 0; i < 60; i++) {
            // One address asks 30 times in each of two minutes, another 10 times in all.
            traffic.request(begin + 2L * i * SECOND, "/login", 7);
            if (i % 6 == 0) {
                traffic.request(begin + 2L * i * SECOND + 1, "/login", 8);
            }
            traffic.request(begin + 2L * i * SECOND + 2, "/other", 7);
        }
        JsonNode said = answered(login(20), Map.of("n1", traffic.excerpt()));
        assertThat(said.at("/nodes/answered").asInt()).isEqualTo(1);
        assertThat(said.get("requests").asLong()).isEqualTo(130);
        assertThat(said.get("refused_before").asLong()).isZero();
        assertThat(said.get("newly_refused").asLong()).isEqualTo(20);
        assertThat(said.get("refused_after").asLong()).isEqualTo(20);
        assertThat(said.get("newly_allowed").asLong()).isZero();
        assertThat(said.get("callers").asLong()).isEqualTo(1);
        assertThat(said.get("first_refused").asString()).isEqualTo(RecordedTraffic.time(begin + 40 * SECOND));
        assertThat(said.at("/worst_minute/at").asString()).isEqualTo(RecordedTraffic.time(begin));
        assertThat(said.at("/worst_minute/requests").asLong()).isEqualTo(10);
        assertThat(said.get("from").asString()).isEqualTo(RecordedTraffic.time(hourAgo()));
        assertThat(said.get("to").asString()).isEqualTo(RecordedTraffic.time(CLOCK.epochMicros()));
        assertThat(said.get("rules")).hasSize(1);
        JsonNode rule = said.at("/rules/0");
        assertThat(rule.get("rule").asString()).isEqualTo("login");
        assertThat(rule.get("change").asString()).isEqualTo("changed");
        assertThat(rule.get("matched").asLong()).isEqualTo(70);
        assertThat(rule.get("refused_after").asLong()).isEqualTo(20);
        assertThat(rule.get("callers").asLong()).isEqualTo(1);
        assertThat(said.at("/top_callers/0/caller").asString()).isEqualTo("203.0.113.*");
        assertThat(said.at("/top_callers/0/by").asString()).isEqualTo("ip");
        assertThat(said.at("/top_callers/0/newly_refused").asLong()).isEqualTo(20);
        assertThat(kinds(said)).containsExactly("other_conditions", "empty");
        JsonNode back = answered(login(200), Map.of("n1", traffic.excerpt()));
        assertThat(back.get("newly_refused").asLong()).isZero();
        assertThat(back.get("first_refused").isNull()).isTrue();
        assertThat(back.get("worst_minute").isNull()).isTrue();
    }

    /** Each node alone stays within the limit. Results of single nodes, added up, would refuse nobody. */
    @Test
    void nodesShareALimit() {
        long begin = minute(30);
        RecordedTraffic one = new RecordedTraffic(hourAgo());
        RecordedTraffic other = new RecordedTraffic(hourAgo());
        for (int i = 0; i < 6; i++) {
            one.request(begin + i * SECOND, "/login", 7);
            other.request(begin + i * SECOND + 500, "/login", 7);
        }
        long alone = answered(login(10), Map.of("n1", one.excerpt()))
                        .get("newly_refused")
                        .asLong()
                + answered(login(10), Map.of("n1", other.excerpt()))
                        .get("newly_refused")
                        .asLong();
        assertThat(alone).isZero();
        JsonNode together = answered(login(10), Map.of("n1", one.excerpt(), "n2", other.excerpt()));
        assertThat(together.at("/nodes/answered").asInt()).isEqualTo(2);
        assertThat(together.get("newly_refused").asLong()).isEqualTo(2);
        assertThat(together.get("callers").asLong()).isEqualTo(1);
        assertThat(together.get("first_refused").asString()).isEqualTo(RecordedTraffic.time(begin + 5 * SECOND));
    }

    @Test
    void theSpanBeginsWhereAllExcerptsAreWhole() {
        long begin = minute(20);
        RecordedTraffic whole = new RecordedTraffic(hourAgo());
        for (int i = 0; i < 20; i++) {
            whole.request(begin + 30L * i * SECOND, "/login", 7);
        }
        RecordedTraffic cut = new RecordedTraffic(begin + 300 * SECOND).cut();
        cut.request(begin + 300 * SECOND, "/login", 7);
        JsonNode said = answered(login(10), Map.of("n1", whole.excerpt(), "n2", cut.excerpt()));
        assertThat(said.get("from").asString()).isEqualTo(RecordedTraffic.time(begin + 300 * SECOND));
        assertThat(said.get("asked_from").asString()).isEqualTo(RecordedTraffic.time(hourAgo()));
        assertThat(said.get("requests").asLong()).isEqualTo(11);
        assertThat(kinds(said)).contains("cut", "outside");
        assertThat(note(said, "cut").get("names").toString()).isEqualTo("[\"n2:8080\"]");
    }

    @Test
    void aNodeThatNeverAnswersIsNotWaitedForLong() {
        FakeNode lazy = node("lazy");
        FakeNode quick = node("quick");
        var unused = lazy.keepsItsOwn();
        var unused2 = quick.keepsItsOwn();
        byte[] excerpt =
                new RecordedTraffic(hourAgo()).request(minute(5), "/login", 7).excerpt();
        CompletableFuture<Answer> sent = CompletableFuture.supplyAsync(() -> tried(login(10)));
        List<ExcerptQuestion> asked = new ArrayList<>();
        while (asked.isEmpty()) {
            asked.addAll(quick.keepsItsOwn().excerpts());
        }
        quick.sends(asked.get(0).id(), excerpt).expect(200);
        while (!sent.isDone()) {
            lazy.keepsItsOwn();
            quick.keepsItsOwn();
            CLOCK.advanceMeanwhile(Duration.ofSeconds(1));
        }
        JsonNode said = sent.join().expect(200).json();
        assertThat(said.at("/nodes/answered").asInt()).isEqualTo(1);
        assertThat(said.at("/nodes/silent").asInt()).isEqualTo(1);
        assertThat(said.at("/nodes/silent_names").toString()).isEqualTo("[\"lazy:8080\"]");
        assertThat(said.get("requests").asLong()).isEqualTo(1);
    }

    @Test
    void hostileExcerptsAreBoundedAndSaid() {
        List<byte[]> none = List.of(
                "not gzip".getBytes(StandardCharsets.UTF_8),
                new byte[0],
                RecordedTraffic.gzip(""),
                RecordedTraffic.gzip("no head\n{}\n"),
                RecordedTraffic.gzip("{\"excerpt\":2,\"since\":0,\"dropped\":0,\"plain\":[],\"key\":\"\"}\n"),
                RecordedTraffic.gzip("{\"excerpt\":1,\"since\":-5,\"dropped\":0,\"plain\":[],\"key\":\"\"}\n"),
                RecordedTraffic.gzip("{\"excerpt\":1}\n"),
                RecordedTraffic.gzip("x".repeat(100_000)),
                // The reader of logs would decompress it once more.
                new RecordedTraffic(hourAgo()).line("\u001f\u008b\u0008").excerpt());
        for (byte[] bad : none) {
            JsonNode said = answered(login(10), Map.of("n1", bad));
            assertThat(said.at("/nodes/silent").asInt()).isEqualTo(1);
            assertThat(said.at("/nodes/answered").asInt()).isZero();
        }
        RecordedTraffic odd = new RecordedTraffic(hourAgo()).request(minute(6), "/login", 7);
        odd.line("not JSON")
                .line("{\"timestamp\":\"x\"}")
                .line("{".repeat(2_000))
                .line("x".repeat(200_000));
        odd.line("{\"timestamp\":\"" + RecordedTraffic.time(minute(5)) + "\",\"resource\":\"/a/../b\"}");
        odd.request(minute(5), "/login", 7).request(minute(5) + 1, "/login", 7);
        odd.request(CLOCK.epochMicros() + 1_200 * SECOND, "/login", 7);
        odd.line("{\"timestamp\":\"2190-01-01T00:00:00Z\",\"resource\":\"/login\"}");
        odd.line("{\"timestamp\":\"2190-01-01T00:00:01Z\",\"resource\":\"/login\"}");
        JsonNode said = answered(login(1), Map.of("n1", odd.excerpt()));
        assertThat(said.get("requests").asLong()).isEqualTo(3);
        assertThat(said.get("newly_refused").asLong()).isEqualTo(1);
        assertThat(note(said, "unreadable").get("count").asLong()).isEqualTo(5);
        assertThat(note(said, "outside").get("count").asLong()).isEqualTo(3);
        assertThat(said.toString()).doesNotContain("xxxx");
    }

    @Test
    void aBombEndsWhereItIsTooLong() {
        RecordedTraffic bomb = new RecordedTraffic(hourAgo()).request(minute(5), "/login", 7);
        String blank = " ".repeat(1 << 20);
        for (int i = 0; i < 200; i++) {
            bomb.line(blank);
        }
        bomb.request(minute(4), "/login", 7);
        byte[] excerpt = bomb.excerpt();
        assertThat(excerpt.length).isLessThan(ExcerptQuestion.LEAST_BYTES * 8);
        JsonNode said = answered(login(10), Map.of("n1", excerpt));
        assertThat(said.get("requests").asLong()).isEqualTo(1);
        assertThat(note(said, "unreadable").get("text").asString()).contains("ends early");
    }

    @Test
    void anExcerptThatNobodyAskedForIsRefused() {
        FakeNode node = node("n1");
        assertThat(node.keepsItsOwn().excerpts()).isEmpty();
        byte[] excerpt = new RecordedTraffic(hourAgo()).excerpt();
        node.sends(7, excerpt).expect(404);
        CompletableFuture<Answer> sent = CompletableFuture.supplyAsync(() -> tried(login(10)));
        List<ExcerptQuestion> asked = new ArrayList<>();
        while (asked.isEmpty()) {
            asked.addAll(node.keepsItsOwn().excerpts());
        }
        ExcerptQuestion question = asked.get(0);
        assertThat(question.sinceMicros()).isEqualTo(hourAgo());
        assertThat(question.mostBytes()).isEqualTo(ExcerptQuestion.MOST_BYTES);
        node("n2").sends(question.id(), excerpt).expect(404);
        node.sends(question.id() + 1, excerpt).expect(404);
        // Somebody else has to wait.
        Answer second = tried(login(10));
        assertThat(second.status()).as(second.text()).isEqualTo(429);
        assertThat(second.string("detail")).contains("(expected: try again in some seconds)");
        node.sends(question.id(), excerpt).expect(200);
        sent.join().expect(200);
        node.sends(question.id(), excerpt).expect(404);
        assertThat(node.keepsItsOwn().excerpts()).isEmpty();
    }

    @Test
    void saysWhatCannotBeTried() {
        RecordedTraffic traffic = new RecordedTraffic(minute(10)).dropped(3).key("a");
        traffic.request(minute(5), "/login", 7);
        RecordedTraffic other = new RecordedTraffic(hourAgo()).key("b").request(minute(50), "/login", 8);
        String rule = "id: login\\nmode: local\\nmatch: { ip: 10.0.0.0/8, user: bob }\\nlimits:\\n"
                + "  - { by: user, limit: 1, window: 1m }\\n  - { algorithm: concurrency, limit: 1, ttl: 5s, by: ip }\\n";
        JsonNode said = answered(
                "{\"edits\":[{\"put_text\":\"" + rule + "\"}]}",
                Map.of("n1", traffic.excerpt(), "n2", other.excerpt()));
        assertThat(kinds(said))
                .contains(
                        "conditions",
                        "other_conditions",
                        "missing",
                        "unmatched",
                        "concurrency",
                        "local",
                        "keys",
                        "late",
                        "gaps",
                        "empty");
        assertThat(note(said, "conditions").get("names").toString()).isEqualTo("[\"ip\",\"user\"]");
        assertThat(note(said, "conditions").get("rule").asString()).isEqualTo("login");
        assertThat(note(said, "missing").get("names").toString()).isEqualTo("[\"user\"]");
        assertThat(note(said, "late").get("names").toString()).isEqualTo("[\"n1:8080\"]");
    }

    @Test
    void errorsOfTheRulesAreRefused() {
        api.post("/api/changes/dry-run", "{\"edits\":[{\"put_text\":\"id: login\\nlimts: 3\\n\"}]}")
                .expect(422);
        api.post("/api/changes/dry-run", "{\"edits\":[{\"remove\":\"nothing\"}]}")
                .expect(422);
        api.post("/api/changes/dry-run", "{}").expect(400);
    }

    @Test
    void removingARuleAllowsWhatItRefused() {
        RecordedTraffic traffic = new RecordedTraffic(hourAgo());
        for (int i = 0; i < 110; i++) {
            traffic.request(minute(5) + i, "/login", 7);
        }
        JsonNode said = answered("{\"edits\":[{\"remove\":\"login\"}]}", Map.of("n1", traffic.excerpt()));
        assertThat(said.get("refused_before").asLong()).isEqualTo(10);
        assertThat(said.get("newly_allowed").asLong()).isEqualTo(10);
        assertThat(said.at("/rules/0/change").asString()).isEqualTo("removed");
        assertThat(said.at("/rules/0/newly_allowed").asLong()).isEqualTo(10);
    }

    @Test
    void peopleOfATenantLearnNothingAboutOthers() {
        ApiClient editor = ApiClient.person(center, "ann", Grant.of(Role.EDITOR, "acme"));
        RecordedTraffic traffic = new RecordedTraffic(hourAgo()).plain("tenant");
        for (int i = 0; i < 30; i++) {
            traffic.line("{\"timestamp\":\"" + RecordedTraffic.time(minute(5) + i)
                    + "\",\"resource\":\"/login\",\"dimensions\":{\"ip\":\"203.0.113.*\"},\"hashes\":{\"ip\":\"zq\"},"
                    + "\"attributes\":{\"tenant\":\"" + (i % 3 == 0 ? "acme" : "other") + "\"},\"permits\":1}");
        }
        // It would act on the requests of others, so it is not tried.
        Answer wide = editor.post(
                "/api/changes/dry-run",
                "{\"edits\":[{\"put_text\":\"id: acme\\ntenant: acme\\n"
                        + "limits:\\n  - { by: ip, limit: 4, window: 1m }\\n\"}]}");
        assertThat(wide.status()).as(wide.text()).isEqualTo(403);
        assertThat(wide.string("detail")).contains("could act on requests of other tenants", "match: {tenant: acme}");
        editor.post("/api/changes/dry-run", login(4)).expect(403);
        String own = "{\"edits\":[{\"put_text\":\"id: acme\\ntenant: acme\\nmatch: { tenant: acme }\\n"
                + "limits:\\n  - { by: ip, limit: 4, window: 1m }\\n\"}]}";
        JsonNode said = answered(() -> editor.post("/api/changes/dry-run", own), Map.of("n1", traffic.excerpt()));
        assertThat(said.get("requests").asLong()).isEqualTo(10);
        assertThat(said.get("newly_refused").asLong()).isEqualTo(6);
        assertThat(said.get("rules")).hasSize(1);
        assertThat(kinds(said)).contains("scope");
        assertThat(said.toString()).doesNotContain("login", "n1");
    }

    @Test
    void nothingIsStoredOrLogged() throws Exception {
        Path folder = data.resolve("other");
        String rows;
        try (Center other = Center.open(PreparedCenter.in(folder), CLOCK);
                CenterLog log = new CenterLog()) {
            ApiClient client = ApiClient.of(other);
            FakeNode node = new FakeNode(client, "n1").records();
            var unused = node.keepsItsOwn();
            rows = client.get("/api/audit?actor=token:admin").expect(200).text();
            byte[] excerpt = new RecordedTraffic(hourAgo())
                    .request(minute(5), "/zqdryrunpath", 7)
                    .line("zqdryrunline")
                    .excerpt();
            JsonNode said = exchange(
                    () -> client.post(
                            "/api/changes/dry-run",
                            "{\"edits\":[{\"put_text\":\"id: zqdryrunrule\\nlimits:\\n  - { by: ip, limit: 1, window: 1m }\\n\"}]}"),
                    Map.of(node, excerpt));
            assertThat(said.get("requests").asLong()).isEqualTo(1);
            assertThat(client.get("/api/audit?actor=token:admin").expect(200).text())
                    .isEqualTo(rows);
            assertThat(log.text()).doesNotContain("zqdryrun");
        }
        assertThat(LiveFolder.filesWith(folder, "zqdryrun")).isEmpty();
    }

    private static long hourAgo() {
        return CLOCK.epochMicros() - 3_600 * SECOND;
    }

    /** Returns the begin of a minute, so many minutes ago. */
    private static long minute(int ago) {
        return Math.floorDiv(CLOCK.epochMicros(), 60 * SECOND) * 60 * SECOND - 60L * ago * SECOND;
    }

    private static String login(int limit) {
        return "{\"edits\":[{\"put\":"
                + JsonMapper.shared()
                        .writeValueAsString(Map.of(
                                "id",
                                "login",
                                "resource",
                                "/login",
                                "methods",
                                List.of("POST"),
                                "limits",
                                List.of(Map.of(
                                        "by", "ip", "algorithm", "fixed_window", "limit", limit, "window", "1m"))))
                + "}]}";
    }

    private static Answer tried(String change) {
        return api.post("/api/changes/dry-run", change);
    }

    private static JsonNode answered(String change, Map<String, byte[]> excerpts) {
        return answered(() -> tried(change), excerpts);
    }

    /** Sends a request while nodes with these ids answer with these excerpts. */
    private static JsonNode answered(Supplier<Answer> request, Map<String, byte[]> excerpts) {
        NODES.values().forEach(node -> node.recordsNothing().keepsItsOwn());
        Map<FakeNode, byte[]> nodes = new HashMap<>();
        excerpts.forEach((id, excerpt) -> nodes.put(node(id), excerpt));
        return exchange(request, nodes);
    }

    private static FakeNode node(String id) {
        return NODES.computeIfAbsent(id, any -> new FakeNode(api, id)).records();
    }

    private static JsonNode exchange(Supplier<Answer> request, Map<FakeNode, byte[]> nodes) {
        nodes.keySet().forEach(FakeNode::keepsItsOwn);
        CompletableFuture<Answer> sent = CompletableFuture.supplyAsync(request);
        while (!sent.isDone()) {
            nodes.forEach((node, excerpt) ->
                    node.keepsItsOwn().excerpts().forEach(question -> node.sends(question.id(), excerpt)));
        }
        return sent.join().expect(200).json();
    }

    private static List<String> kinds(JsonNode said) {
        return said.get("notes").values().stream()
                .map(each -> each.get("kind").asString())
                .toList();
    }

    private static JsonNode note(JsonNode said, String kind) {
        return said.get("notes").values().stream()
                .filter(each -> each.get("kind").asString().equals(kind))
                .findFirst()
                .orElseThrow();
    }
}
