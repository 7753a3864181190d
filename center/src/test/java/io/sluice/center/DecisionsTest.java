package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Decisions as people and programs search them. */
class DecisionsTest {

    @TempDir
    Path data;

    private Center center;
    private ApiClient api;
    private final long now = Instant.now().toEpochMilli();

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    private static List<String> requests(Answer answer) {
        List<String> ids = new ArrayList<>();
        answer.expect(200)
                .get("entries")
                .forEach(each -> ids.add(each.get("request_id").asString()));
        return ids;
    }

    private List<String> find(String query) {
        return requests(api.get("/api/decisions" + query));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void findsByEachField() {
        new DataNode(api, "n1")
                .decided(
                        DataNode.decision(now - 3_000, "a", "login", Outcome.REJECTED),
                        DataNode.decision(now - 2_000, "b", "orders", Outcome.DENIED))
                .report();
        new DataNode(api, "n2")
                .decided(DataNode.decision(now - 1_000, "c", "", Outcome.ALLOWED))
                .report();
        assertThat(find("")).containsExactly("c", "b", "a");
        assertThat(find("?rule=login")).containsExactly("a");
        assertThat(find("?limit_id=" + "orders.0")).containsExactly("b");
        assertThat(find("?caller=203.0.113.b")).containsExactly("b");
        assertThat(find("?caller=" + DataNode.hash("a"))).containsExactly("a");
        assertThat(find("?caller=" + encode("u****c"))).containsExactly("c");
        assertThat(find("?caller=" + DataNode.hash("userb"))).containsExactly("b");
        assertThat(find("?node=n2")).containsExactly("c");
        assertThat(find("?outcome=denied")).containsExactly("b");
        assertThat(find("?request_id=c")).containsExactly("c");
        assertThat(find("?trace_id=trace-a")).containsExactly("a");
        assertThat(find("?resource=" + encode("/path/b"))).containsExactly("b");
        assertThat(find("?from=" + Instant.ofEpochMilli(now - 2_000))).containsExactly("c", "b");
        assertThat(find("?to=" + Instant.ofEpochMilli(now - 2_000))).containsExactly("a");
        assertThat(find("?rule=login&node=n2")).isEmpty();
        Answer page = api.get("/api/decisions?rule=login&caller=203.0.113.a&outcome=rejected&node=n1&limit=1");
        JsonNode entry = page.expect(200).get("entries").get(0);
        JsonNode sent = tools.jackson.databind.json.JsonMapper.shared()
                .readTree(DataNode.decision(now - 3_000, "a", "login", Outcome.REJECTED)
                        .toJson());
        sent.propertyNames().forEach(name -> assertThat(entry.get(name)).isEqualTo(sent.get(name)));
        assertThat(entry.get("node").asString()).isEqualTo("n1");
        assertThat(page.get("next").isNull()).isTrue();
        assertThat(page.number("dropped")).isZero();
        assertThat(Instant.parse(page.string("searched_until"))).isBefore(Instant.ofEpochMilli(now));
    }

    @Test
    void pagesGoOnWhereTheLastOneEnded() {
        DataNode node = new DataNode(api, "n");
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 23; i++) {
            node.decided(DataNode.decision(now - 200_000 + i / 2, "r" + i, "login", Outcome.REJECTED));
            expected.add(0, "r" + i);
        }
        node.report();
        List<String> got = new ArrayList<>();
        String cursor = "";
        do {
            Answer page = api.get("/api/decisions?rule=login&limit=5" + cursor).expect(200);
            got.addAll(requests(page));
            cursor = page.get("next").isNull() ? "" : "&before=" + page.string("next");
        } while (!cursor.isEmpty());
        assertThat(got).isEqualTo(expected);
    }

    @Test
    void aWrongQuestionIsRefused() {
        for (String query : List.of(
                "?outcome=maybe",
                "?from=yesterday",
                "?to=1",
                "?before=x",
                "?before=1-2",
                "?limit=x",
                "?before=9999999999999999-1-1",
                "?from=%2B999999999-01-01T00:00:00Z",
                "?rule=" + "x".repeat(1_001))) {
            assertThat(api.get("/api/decisions" + query).expect(400).type()).contains("problem+json");
        }
        assertThat(find("?limit=-5")).isEmpty();
        assertThat(find("?before=0-0-0")).isEmpty();
        assertThat(find("?before=999999999999999-999999999999999999-999999999")).isEmpty();
        assertThat(find("?from=%2B200000000-01-01T00:00:00Z")).isEmpty();
        assertThat(find("?to=-200000000-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void survivesARestart() throws Exception {
        new DataNode(api, "n")
                .decided(DataNode.decision(now - Duration.ofMinutes(9).toMillis(), "late", "login", Outcome.REJECTED))
                .decided(DataNode.decision(now, "new", "login", Outcome.REJECTED))
                .report();
        center.close();
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        assertThat(find("?rule=login")).containsExactly("new", "late");
    }

    @Test
    void timesAreThoseOfTheCenter() {
        long ahead = Duration.ofHours(30).toMillis();
        new DataNode(api, "n")
                .decided(DataNode.decision(now + ahead, "skewed", "login", Outcome.REJECTED))
                .report(Instant.now().toEpochMilli() + ahead);
        JsonNode entry = api.get("/api/decisions").expect(200).get("entries").get(0);
        assertThat(Instant.parse(entry.get("timestamp").asString()))
                .isBetween(Instant.ofEpochMilli(now - 1), Instant.now().plusSeconds(1));
    }

    @Test
    void hostileTextComesBackAsText() {
        String evil = "</script><script>alert(1)</script>\"},{\"rule_id\":\"x\"\u2028\r\n\u0000\uD800";
        DecisionEntry plain = DataNode.decision(now, "r", "login", Outcome.REJECTED);
        DecisionEntry hostile = new DecisionEntry(
                now,
                evil,
                evil,
                evil,
                evil,
                evil,
                Map.of(evil, plain.caller().orElseThrow()),
                evil,
                evil,
                Outcome.REJECTED,
                evil,
                1,
                1,
                1,
                evil,
                evil,
                1,
                plain.caller());
        new DataNode(api, "n").decided(hostile).report();
        Answer answer = api.get("/api/decisions");
        assertThat(answer.type()).startsWith("application/json");
        JsonNode entries = answer.expect(200).get("entries");
        assertThat(entries).hasSize(1);
        for (String field : List.of("request_id", "resource", "rule_id", "reason", "mode")) {
            assertThat(entries.get(0).get(field).asString()).startsWith("</script><script>");
        }
        assertThat(entries.get(0).get("dimensions")).hasSize(1);
        assertThat(answer.text()).doesNotContain("\n", "\u2028");
    }

    @Test
    void somebodyOfATenantSeesOnlyDecisionsOfOwnRules() {
        api.release(api.post(
                        "/api/changes",
                        ApiClient.change(
                                0,
                                "{\"put\":{\"id\":\"acme-login\",\"tenant\":\"acme\",\"resource\":\"/a\",\"match\":{\"tenant\":\"acme\"},"
                                        + "\"limits\":[{\"by\":\"ip\",\"limit\":5,\"window\":\"1m\"}]}},"
                                        + ApiClient.put("common", 5)))
                .expect(201));
        new DataNode(api, "secret-node")
                .decided(
                        DataNode.decision(now - 4, "own", "acme-login", Outcome.REJECTED),
                        DataNode.decision(now - 3, "hidden1", "common", Outcome.REJECTED),
                        DataNode.decision(now - 2, "hidden2", "", Outcome.ALLOWED),
                        DataNode.decision(now - 1, "hidden3", "gone", Outcome.REJECTED))
                .report();
        ApiClient viewer = ApiClient.person(center, "amy", Grant.of(Role.VIEWER, "acme"));
        Answer seen = viewer.get("/api/decisions").expect(200);
        assertThat(requests(seen)).containsExactly("own");
        assertThat(seen.text()).doesNotContain("hidden", "secret-node", "common", "gone");
        assertThat(seen.get("dropped").isNull()).isTrue();
        for (String query : List.of("?rule=common", "?request_id=hidden1", "?caller=203.0.113.hidden2", "?rule=gone")) {
            Answer nothing = viewer.get("/api/decisions" + query);
            assertThat(requests(nothing)).isEmpty();
        }
        viewer.get("/api/decisions?node=secret-node").expect(403);
        ApiClient all = ApiClient.person(center, "ann", Grant.of(Role.VIEWER));
        assertThat(requests(all.get("/api/decisions"))).containsExactly("hidden3", "hidden2", "hidden1", "own");
        ApiClient.nobody(center).get("/api/decisions").expect(401);
    }
}
