package io.sluice.center;

import static io.sluice.center.callers.Refusals.caller;
import static io.sluice.center.callers.Refusals.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.callers.Refusals;
import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.testkit.Await;
import io.sluice.testkit.LiveFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Refused callers in a real center, with nodes that report what a test tells them to. */
class RefusedCallersApiTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String PLAIN = "u-17-zqsecret";
    private static final String HASH = hash(PLAIN);
    private static final CallerMark MARK = new CallerMark("u****et", HASH);
    private static final String WHY = "{\"reason\":\"case 4711\"}";

    @TempDir
    Path data;

    private SecondPerson people;
    private ApiClient machine;
    private long batches;

    @BeforeEach
    void open() throws Exception {
        people = SecondPerson.in(data);
        machine = people.machine();
        release(rule("acme-login", "acme"), rule("globex-login", "globex"), ApiClient.rule("login", 5));
    }

    @AfterEach
    void close() {
        people.close();
    }

    private void release(String... rules) {
        List<String> puts =
                Stream.of(rules).map(each -> "{\"put\":" + each + "}").toList();
        Answer change = machine.post("/api/changes", ApiClient.change(people.version(), String.join(",", puts)))
                .expect(201);
        long unused = machine.release(change);
    }

    private static String rule(String id, String tenant) {
        return "{\"id\":\"" + id + "\",\"tenant\":\"" + tenant + "\",\"match\":{\"tenant\":\"" + tenant
                + "\"},\"limits\":[{\"id\":\"u\",\"by\":\"user\",\"limit\":5,\"window\":\"1m\"}]}";
    }

    private long minute() {
        return people.clock().epochMicros() / 60_000_000;
    }

    private FakeNode node(String id) {
        FakeNode node = new FakeNode(machine, id);
        var unused = node.keepsItsOwn();
        return node;
    }

    private Fleet send(FakeNode node, Refusals... minutes) {
        List<DataBatch> all = new ArrayList<>();
        for (Refusals each : minutes) {
            all.add(new DataBatch(++batches, DataBatch.Kind.CALLERS, each.pack()));
        }
        return node.sends(new DataReport(people.clock().epochMicros() / 1_000, all, Map.of()))
                .keepsItsOwn();
    }

    /** Sends a request, which some nodes have no answer to, and one node has. */
    private static Answer ask(
            Supplier<Answer> request,
            FakeNode knows,
            Function<CallerQuestion, Optional<String>> content,
            FakeNode... strangers) {
        CompletableFuture<Answer> sent = CompletableFuture.supplyAsync(request);
        while (!sent.isDone()) {
            for (FakeNode each : strangers) {
                answer(each, question -> Optional.empty());
            }
            answer(knows, content);
        }
        return sent.join();
    }

    private static void answer(FakeNode node, Function<CallerQuestion, Optional<String>> content) {
        node.answers(node.keepsItsOwn().questions().stream()
                .map(each -> new CallerAnswer(each.id(), content.apply(each)))
                .toArray(CallerAnswer[]::new));
    }

    private void fill() {
        long unusedNumber = send(
                        node("n1"),
                        new Refusals(minute())
                                .address("login", "203.0.113.*", 40)
                                .address("login", "198.51.100.*", 2)
                                .add("acme-login", "acme-login.u", "user", MARK, 7)
                                .add("", "", "user", MARK, 7)
                                .add("", "", "tenant", caller("a****me"), 7)
                                .tenant("a****me", 10, 7))
                .stored()
                .orElseThrow();
        var unused = send(
                node("n2"),
                new Refusals(minute())
                        .address("login", "203.0.113.*", 2)
                        .add("globex-login", "globex-login.u", "user", caller("g****zq"), 9)
                        .add("", "", "user", caller("g****zq"), 9));
    }

    @Test
    void theTopAddressesOfTheLastHourAreOneCall() {
        fill();
        Answer top = people.as("root").get("/api/top?by=ip").expect(200);
        assertThat(top.string("by")).isEqualTo("ip");
        assertThat(top.number("refused")).isEqualTo(44);
        assertThat(top.number("callers")).isEqualTo(2);
        assertThat(top.number("dropped")).isZero();
        JsonNode first = top.get("entries").get(0);
        assertThat(first.get("caller").asString()).isEqualTo("203.0.113.*");
        assertThat(first.get("hash").asString()).isEqualTo(hash("203.0.113.*"));
        assertThat(first.get("refused").asLong()).isEqualTo(42);
        assertThat(first.get("error").asLong()).isZero();
        assertThat(first.get("rule").isNull()).isTrue();
        assertThat(first.get("attributes").asString()).isEqualTo("ip");
        assertThat(top.get("entries").get(1).get("refused").asLong()).isEqualTo(2);
        assertThat(Duration.between(Instant.parse(top.string("from")), Instant.parse(top.string("to"))))
                .isEqualTo(Duration.ofHours(1));
    }

    @Test
    void whatAKilledNodeHadNotReportedIsMissing() {
        FakeNode node = node("n1");
        Fleet unused = node.sends(new DataReport(
                        people.clock().epochMicros() / 1_000, List.of(), Map.of(), Map.of(DataBatch.Kind.CALLERS, 12L)))
                .keepsItsOwn();
        ApiClient root = people.as("root");
        assertThat(root.get("/api/top").number("dropped")).isZero();
        Await.until("the node is gone", SOON, () -> {
            people.clock().advance(Duration.ofSeconds(1));
            return root.get("/api/top").number("dropped") == 12;
        });
    }

    @Test
    void everyKindOfTop() {
        fill();
        ApiClient root = people.as("root");
        assertThat(entries(root.get("/api/top")))
                .containsExactly(
                        "203.0.113.* login 42",
                        "g****zq globex-login 9",
                        "u****et acme-login 7",
                        "198.51.100.* login 2");
        assertThat(entries(root.get("/api/top?limit=1"))).hasSize(1);
        assertThat(entries(root.get("/api/top?by=user"))).containsExactly("g****zq null 9", "u****et null 7");
        assertThat(entries(root.get("/api/top?by=tenant"))).containsExactly("a****me null 7");
        assertThat(entries(root.get("/api/top?rule=acme-login"))).containsExactly("u****et acme-login 7");
        assertThat(entries(root.get("/api/top?by=ip&rule=acme-login"))).isEmpty();
        Answer rules = root.get("/api/top?by=rule");
        assertThat(entries(rules)).containsExactly("null login 44", "null globex-login 9", "null acme-login 7");
        assertThat(rules.get("entries").get(0).get("distinct").asLong()).isEqualTo(2);
        assertThat(rules.number("refused")).isEqualTo(60);
        assertThat(rules.number("callers")).isEqualTo(4);
        for (String wrong : List.of(
                "by=password",
                "last=0s",
                "last=8d",
                "last=x",
                "last=1h&from=2027-01-15T08:00:00Z",
                "from=yesterday",
                "from=2027-01-15T08:00:00Z&to=2027-01-15T07:00:00Z",
                "limit=x")) {
            root.get("/api/top?" + wrong).expect(400);
        }
        assertThat(entries(root.get("/api/top?from=2026-01-15T08:00:00Z&to=2026-01-15T09:00:00Z")))
                .isEmpty();
        assertThat(entries(root.get("/api/top?from=2027-01-15T08:00:00Z&to=2027-01-15T08:01:00Z")))
                .hasSize(4);
    }

    private static List<String> entries(Answer top) {
        List<String> all = new ArrayList<>();
        top.expect(200)
                .get("entries")
                .forEach(each -> all.add(each.get("caller").asString("null") + " "
                        + each.get("rule").asString("null") + " "
                        + each.get("refused").asLong()));
        return all;
    }

    @Test
    void aRestartLosesNothing() throws Exception {
        fill();
        people.restart();
        machine = people.machine();
        assertThat(entries(people.as("root").get("/api/top"))).hasSize(4);
        people.clock().advance(Duration.ofMinutes(2));
        fill();
        assertThat(entries(people.as("root").get("/api/top?by=ip")))
                .containsExactly("203.0.113.* null 84", "198.51.100.* null 4");
    }

    @Test
    void somebodyOfATenantSeesOnlyHerRules() {
        fill();
        ApiClient acme = ApiClient.person(people.center(), "acme", Grant.of(Role.VIEWER, "acme"));
        assertThat(entries(acme.get("/api/top"))).containsExactly("u****et acme-login 7");
        assertThat(acme.get("/api/top").number("refused")).isEqualTo(7);
        assertThat(acme.get("/api/top").number("callers")).isEqualTo(1);
        for (String by : List.of("caller", "rule", "user")) {
            assertThat(acme.get("/api/top?by=" + by).get("dropped").isNull()).isTrue();
        }
        assertThat(entries(acme.get("/api/top?by=rule"))).containsExactly("null acme-login 7");
        assertThat(entries(acme.get("/api/top?by=user"))).containsExactly("u****et null 7");
        assertThat(entries(acme.get("/api/top?by=ip"))).isEmpty();
        assertThat(entries(acme.get("/api/top?by=tenant"))).isEmpty();
        String hidden = acme.get("/api/top?rule=globex-login").expect(404).text();
        String nothing = acme.get("/api/top?rule=nothing-login").expect(404).text();
        assertThat(hidden.replace("globex", "nothing")).isEqualTo(nothing);

        // A caller of another tenant looks like one that does not exist, although a node knows it.
        FakeNode node = node("n1");
        FakeNode stranger = node("n2");
        String explained = explanation("globex-login");
        Answer other = ask(
                () -> acme.get("/api/callers/" + hash("g****zq")), node, question -> Optional.of(explained), stranger);
        String unknown = ask(() -> acme.get("/api/callers/" + hash("?")), node, question -> Optional.empty(), stranger)
                .expect(404)
                .text();
        assertThat(other.expect(404).text().replace(hash("g****zq"), hash("?"))).isEqualTo(unknown);
        String both = "{\"limits\":[" + limit("globex-login") + "," + limit("acme-login") + "]}";
        Answer own = ask(() -> acme.get("/api/callers/" + HASH), node, question -> Optional.of(both), stranger)
                .expect(200);
        assertThat(own.text()).contains("acme-login").doesNotContain("globex");
        assertThat(own.get("refusals")).hasSize(1);
        acme.post("/api/callers/" + HASH + "/reveal", WHY).expect(403);
    }

    private static String explanation(String rule) {
        return "{\"allowed\":false,\"limits\":[" + limit(rule) + "]}";
    }

    private static String limit(String rule) {
        return "{\"id\":\"" + rule + ".u\",\"rule\":\"" + rule + "\",\"by\":[\"user\"],\"key\":\"user=u-***\","
                + "\"used\":5,\"remaining\":0,\"would_allow\":false,\"surprise\":{\"a\":[1]}}";
    }

    @Test
    void aCallerIsExplainedByTheNodeThatKnowsIt() {
        fill();
        String override = "{\"rule\":\"acme-login\",\"limit\":\"acme-login.u\",\"caller\":{\"user\":\"somebody\"},"
                + "\"numbers\":{\"limit\":50},\"in\":\"1h\",\"reason\":\"x\"}";
        people.as("olga").post("/api/overrides", override).expect(201);
        FakeNode first = node("n1");
        FakeNode second = node("n2");
        FakeNode third = node("n3");
        Answer answer = ask(
                        () -> people.as("root").get("/api/callers/" + HASH),
                        third,
                        question -> {
                            assertThat(question.hash()).isEqualTo(HASH);
                            assertThat(question.kind()).isEqualTo(CallerQuestion.Kind.EXPLAIN);
                            return Optional.of(explanation("acme-login"));
                        },
                        first,
                        second)
                .expect(200);
        assertThat(answer.string("caller")).isEqualTo("u****et");
        assertThat(answer.get("answered").asBoolean()).isTrue();
        assertThat(answer.json().at("/limits/0/remaining").asLong()).isZero();
        assertThat(answer.json().at("/limits/0/key").asString()).isEqualTo("user=u-***");
        assertThat(answer.text()).doesNotContain("surprise");
        assertThat(answer.get("refusals")).hasSize(2);
        assertThat(answer.get("overrides")).isEmpty();
        assertThat(third.keepsItsOwn().questions()).isEmpty();
    }

    @Test
    void anUnknownCallerIsMissing() {
        FakeNode first = node("n1");
        FakeNode second = node("n2");
        ApiClient root = people.as("root");
        ask(() -> root.get("/api/callers/" + HASH), first, question -> Optional.empty(), second)
                .expect(404);
        for (String wrong : List.of("x", "a".repeat(42), "a".repeat(44), "a".repeat(42) + "!", "%00")) {
            assertThat(root.get("/api/callers/" + wrong).status()).isIn(400, 404);
        }
    }

    @Test
    void aNodeThatDiesIsNotWaitedForForever() {
        FakeNode node = node("n1");
        ApiClient root = people.as("root");
        CompletableFuture<Answer> asked = CompletableFuture.supplyAsync(() -> root.get("/api/callers/" + HASH));
        Await.until("asked", SOON, () -> !node.keepsItsOwn().questions().isEmpty());
        people.clock().advanceMeanwhile(Duration.ofSeconds(6));
        asked.join().expect(404);
        fill();
        CompletableFuture<Answer> again = CompletableFuture.supplyAsync(() -> root.get("/api/callers/" + HASH));
        Await.until("asked", SOON, () -> !node.keepsItsOwn().questions().isEmpty());
        people.clock().advanceMeanwhile(Duration.ofSeconds(6));
        Answer answer = again.join().expect(200);
        assertThat(answer.get("answered").asBoolean()).isFalse();
        assertThat(answer.get("refusals")).hasSize(2);
    }

    @Test
    void manyQuestionsAtOnceAreBounded() {
        FakeNode node = node("n1");
        ApiClient root = people.as("root");
        AtomicInteger tooMany = new AtomicInteger();
        List<CompletableFuture<Answer>> asked = IntStream.range(0, 20)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> {
                            Answer answer = root.get("/api/callers/" + hash("caller " + i));
                            tooMany.addAndGet(answer.status() == 429 ? 1 : 0);
                            return answer;
                        },
                        command -> new Thread(command).start()))
                .toList();
        Await.until("the others are refused", SOON, () -> tooMany.get() == 12);
        assertThat(node.keepsItsOwn().questions()).hasSize(8);
        people.clock().advanceMeanwhile(Duration.ofSeconds(6));
        asked.forEach(each -> assertThat(each.join().status()).isIn(404, 429));
        Answer later =
                node.answering(() -> root.get("/api/callers/" + HASH), question -> Optional.of(explanation("login")));
        later.expect(200);
    }

    @Test
    void aRevealedCallerIsToldOnceAndKeptNowhere() throws Exception {
        fill();
        FakeNode node = node("n1");
        try (CenterLog log = new CenterLog()) {
            List<CallerQuestion.Kind> kinds = new ArrayList<>();
            Answer answer = node.answering(
                            () -> people.as("olga").post("/api/callers/" + HASH + "/reveal", WHY), each -> {
                                kinds.add(each.kind());
                                return Optional.of("{\"attributes\":{\"user\":\"" + PLAIN
                                        + "\",\"key\":\"must not be told\"},\"hidden\":[\"key\"]}");
                            })
                    .expect(200);
            assertThat(kinds).contains(CallerQuestion.Kind.REVEAL);
            assertThat(answer.json().at("/attributes/user").asString()).isEqualTo(PLAIN);
            assertThat(answer.get("attributes")).hasSize(1);
            assertThat(answer.get("hidden").get(0).asString()).isEqualTo("key");
            JsonNode row = people.as("root").get("/api/audit?limit=1").json().path(0);
            assertThat(row.get("kind").asString()).isEqualTo("reveal");
            assertThat(row.get("actor").asString()).isEqualTo("user:olga");
            assertThat(row.get("reason").asString()).isEqualTo("case 4711");
            assertThat(row.toString()).contains(HASH).contains("u****et").doesNotContain(PLAIN);
            // The node no longer answers, and nobody is told again.
            node.answers();
            assertThat(ask(
                                    () -> people.as("olga").post("/api/callers/" + HASH + "/reveal", WHY),
                                    node,
                                    each -> Optional.empty(),
                                    node("n2"))
                            .status())
                    .isEqualTo(404);
            people.clock().advance(Duration.ofMinutes(1));
            people.restart();
            assertThat(log.text()).doesNotContain(PLAIN);
            assertThat(Deeds.stored(people.center())).doesNotContain(PLAIN).contains(HASH);
            assertThat(filesWith(PLAIN)).isEmpty();
        }
    }

    @Test
    void aRevealedCallerIsNotCached() throws Exception {
        FakeNode node = node("n1");
        var request = people.as("root").request("POST", "/api/callers/" + HASH + "/reveal", "application/json", WHY);
        List<String> control = new ArrayList<>();
        Answer unused = node.answering(
                () -> {
                    try {
                        HttpResponse<String> response =
                                HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
                        control.addAll(response.headers().allValues("Cache-Control"));
                        return new Answer(response.statusCode(), "", "", response.body());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                each -> Optional.of("{\"attributes\":{\"ip\":\"203.0.113.7\"}}"));
        assertThat(control).hasSize(1);
        assertThat(control.get(0)).contains("no-store");
    }

    @Test
    void onlySomebodyWithTheRightAndAFreshFactorReveals() {
        FakeNode node = node("n1");
        String path = "/api/callers/" + HASH + "/reveal";
        for (String name : List.of("ann", "bob")) {
            people.as(name).post(path, WHY).expect(403);
        }
        ApiClient.person(people.center(), "tina", Grant.of(Role.TENANT_ADMINISTRATOR, "acme"))
                .post(path, WHY)
                .expect(403);
        ApiClient.person(people.center(), "otto", Grant.of(Role.OPERATOR, "acme"))
                .post(path, WHY)
                .expect(403);
        machine.post(path, WHY).expect(403);
        people.tokenOf("olga", Scope.OPERATE_RULES).post(path, WHY).expect(403);
        ApiClient.nobody(people.center()).post(path, WHY).expect(401);
        ApiClient olga = people.as("olga");
        olga.post(path, "{}").expect(400);
        olga.post(path, "{\"reason\":\" \"}").expect(400);
        people.clock().advance(Duration.ofHours(1));
        Answer stale = olga.post(path, WHY).expect(403);
        assertThat(stale.text()).contains("factor");
        assertThat(node.keepsItsOwn().questions()).isEmpty();
    }

    @Test
    void nobodyRevealsManyCallersInAMinute() {
        ApiClient olga = people.as("olga");
        // Without live nodes nobody knows them.
        for (int i = 0; i < 30; i++) {
            olga.post("/api/callers/" + hash("caller " + i) + "/reveal", WHY).expect(404);
        }
        olga.post("/api/callers/" + HASH + "/reveal", WHY).expect(429);
        people.as("olga").post("/api/callers/" + HASH + "/reveal", WHY).expect(429);
        people.as("root").post("/api/callers/" + HASH + "/reveal", WHY).expect(404);
        people.clock().advance(Duration.ofSeconds(61));
        people.as("olga").post("/api/callers/" + HASH + "/reveal", WHY).expect(404);
    }

    @Test
    void aHostileNodeDoesNoHarm() {
        FakeNode good = node("n1");
        var unusedFill = send(good, new Refusals(minute()).add("acme-login", "acme-login.u", "user", MARK, 7));
        FakeNode evil = node("evil");
        String html = "<img src=x onerror=alert(1)>";
        var unused = send(evil, new Refusals(minute()).address("<script>", html, 1_000));
        Answer top = people.as("root").get("/api/top?by=ip").expect(200);
        assertThat(top.type()).startsWith("application/json");
        assertThat(top.json().at("/entries/0/caller").asString()).isEqualTo(html);
        // Damaged batches are counted, and the node goes on.
        List<DataBatch> damaged = List.of(
                new DataBatch(++batches, DataBatch.Kind.CALLERS, new byte[] {1, 2, 3}),
                new DataBatch(++batches, DataBatch.Kind.CALLERS, new byte[0]));
        Fleet fleet = evil.sends(new DataReport(people.clock().epochMicros() / 1_000, damaged, Map.of()))
                .keepsItsOwn();
        assertThat(fleet.stored()).hasValue(batches);
        for (String content : List.of(
                "",
                "no json",
                "[]",
                "7",
                "{}",
                "{\"limits\":7}",
                "{\"limits\":[7,null,{\"rule\":7}]}",
                "{\"attributes\":7}",
                "{\"attributes\":{\"a\":{}}}",
                "{\"attributes\":{\"a\":\"" + "x".repeat(20_000) + "\"}}",
                "{\"hidden\":[7]}",
                "[".repeat(5_000),
                "x".repeat(300_000))) {
            int explained = ask(
                            () -> people.as("root").get("/api/callers/" + HASH),
                            evil,
                            each -> Optional.of(content),
                            good)
                    .status();
            assertThat(explained).as(content).isIn(200, 409);
            Answer revealed = ask(
                    () -> people.as("root").post("/api/callers/" + HASH + "/reveal", WHY),
                    evil,
                    each -> Optional.of(content),
                    good);
            assertThat(revealed.status()).as(content).isIn(200, 404, 409);
            people.clock().advance(Duration.ofSeconds(6));
            var unusedFleet = evil.keepsItsOwn();
            var unusedOther = good.keepsItsOwn();
        }
        // Answers to questions that nobody asked are ignored.
        evil.answers(new CallerAnswer(1, Optional.of("{}")), new CallerAnswer(1L << 50, Optional.of("{}")));
        assertThat(evil.keepsItsOwn().questions()).isEmpty();
    }

    @Test
    void anErasedCallerIsErasedHereToo() throws Exception {
        fill();
        FakeNode node = node("n1");
        node.answering(
                        () -> people.as("olga").post("/api/callers/" + HASH + "/reveal", WHY),
                        each -> Optional.of("{\"attributes\":{\"user\":\"" + PLAIN + "\"}}"))
                .expect(200);
        assertThat(Deeds.stored(people.center())).contains(HASH);
        people.clock().advance(Duration.ofMinutes(1));
        var unusedReport = node.keepsItsOwn();
        Answer erasure = people.as("root")
                .post("/api/erasures", "{\"attribute\":\"user\",\"value\":\"" + PLAIN + "\",\"reason\":\"case 1\"}")
                .expect(202);
        long id = erasure.number("id");
        List<ErasureOrder> orders = new ArrayList<>();
        Await.until("ordered", SOON, () -> {
            orders.addAll(node.keepsItsOwn().erasures());
            return !orders.isEmpty();
        });
        var unused = node.erased(new ErasureResult(id, Map.of("counts", 1L), List.of(), List.of(HASH)))
                .keepsItsOwn();
        Await.until(
                "erased",
                SOON,
                () -> people.as("root")
                                .get("/api/erasures/" + id)
                                .json()
                                .at("/removed/refused_callers")
                                .asLong()
                        == 2);
        assertThat(entries(people.as("root").get("/api/top"))).hasSize(3).noneMatch(each -> each.contains("u****et"));
        assertThat(callerFilesWith(HASH)).isEmpty();
        // The row of the audit log that named it lost its content, and the log still verifies.
        JsonNode removed = people.as("root").get("/api/erasures/" + id).get("removed");
        assertThat(removed.get("audit_rows").asLong()).isEqualTo(1);
        List<String> bodies = people.center().people().database().read(client -> client.sql("SELECT body FROM command")
                .query(String.class)
                .list());
        assertThat(bodies).noneMatch(body -> body.contains(HASH));
        assertThat(people.as("root")
                        .post("/api/audit/verify", "{}")
                        .expect(200)
                        .get("good")
                        .asBoolean())
                .isTrue();
        assertThat(callerFilesWith("u****et")).isEmpty();
        people.restart();
        assertThat(entries(people.as("root").get("/api/top"))).hasSize(3);
    }

    private List<Path> callerFilesWith(String text) {
        return filesWith(text).stream()
                .filter(each -> each.toString().contains("callers"))
                .toList();
    }

    private List<Path> filesWith(String text) {
        return LiveFolder.filesWith(data, text);
    }
}
