package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Released means applied: the state of a rollout follows the reports of nodes. */
class RolloutTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(0);
    private Center center;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        api.release("login", 5);
        awaitState(1, "done");
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void isDoneWhenEveryLiveNodeRunsTheVersion() {
        FakeNode first = new FakeNode(api, "n1");
        FakeNode second = new FakeNode(api, "n2");
        first.runs(1);
        second.runs(1);
        api.release("login", 6);

        Answer waiting = api.get("/api/rollouts/2");
        assertThat(waiting.string("state")).isEqualTo("releasing");
        assertThat(waiting.number("waiting")).isEqualTo(2);
        first.runs(2);
        assertThat(api.get("/api/rollouts/2").number("applied")).isEqualTo(1);
        assertThat(api.get("/api/rollouts/2").string("state")).isEqualTo("releasing");

        second.runs(2);
        awaitState(2, "done");
        Answer done = api.get("/api/rollouts/2");
        assertThat(done.number("applied")).isEqualTo(2);
        assertThat(done.json().at("/nodes/0/state").asString()).isEqualTo("applied");
    }

    @Test
    void showsWhyANodeRefusedAVersion() {
        FakeNode node = new FakeNode(api, "n1");
        node.runs(1);
        api.release("login", 6);
        node.refuses(1, 2, "login: no key for hashes");

        JsonNode rollout = api.get("/api/rollouts/2").json();
        assertThat(rollout.get("refused").asInt()).isEqualTo(1);
        assertThat(rollout.at("/nodes/0/errors/0").asString()).isEqualTo("login: no key for hashes");
        JsonNode shown = api.get("/api/nodes/n1").expect(200).json();
        assertThat(shown.at("/refused/version").asInt()).isEqualTo(2);
        assertThat(shown.get("behind").asInt()).isEqualTo(1);
        assertThat(shown.get("current").asBoolean()).isFalse();
    }

    @Test
    void aNodeThatFallsSilentDoesNotHoldARolloutUp() {
        FakeNode silent = new FakeNode(api, "silent");
        FakeNode lively = new FakeNode(api, "lively");
        silent.runs(1);
        lively.runs(1);
        api.release("login", 6);
        Await.until("the silent node is not live", SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            return lively.runs(2).nodes() == 1;
        });

        awaitState(2, "done");
        assertThat(api.get("/api/nodes/silent").get("live").asBoolean()).isFalse();
        assertThat(api.get("/api/rollouts/2").get("nodes")).hasSize(1);
    }

    @Test
    void aReportThatRepeatsItselfIsNoSignOfLife() {
        FakeNode node = new FakeNode(api, "n1");
        node.runs(1);
        Await.until("not live", SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            node.repeats();
            return !api.get("/api/nodes/n1").get("live").asBoolean();
        });
        node.runs(1);
        assertThat(api.get("/api/nodes/n1").get("live").asBoolean()).isTrue();
    }

    @Test
    void aPauseOfTheCenterDoesNotMakeNodesSilent() {
        FakeNode node = new FakeNode(api, "n1");
        node.runs(1);
        clock.advance(Duration.ofMinutes(10));
        assertThat(api.get("/api/nodes/n1").get("live").asBoolean()).isTrue();
    }

    @Test
    void aNodeWithRulesOfItsOwnIsShownButNotAwaited() {
        new FakeNode(api, "file").keepsItsOwn();
        api.release("login", 6);
        awaitState(2, "done");
        JsonNode shown = api.get("/api/nodes/file").json();
        assertThat(shown.get("follows").asBoolean()).isFalse();
        assertThat(shown.get("current").asBoolean()).isFalse();
    }

    @Test
    void aNewerVersionSupersedesARolloutThatGoesOn() {
        FakeNode node = new FakeNode(api, "n1");
        node.runs(1);
        api.release("login", 6);
        api.release("login", 7);
        assertThat(api.get("/api/rollouts/2").string("state")).isEqualTo("superseded");
        node.runs(3);
        awaitState(3, "done");
    }

    @Test
    void tellsNodesHowManyTheyAreAndWhatIsReleased() {
        new FakeNode(api, "n1").runs(0);
        Fleet fleet = new FakeNode(api, "n2").runs(1);
        assertThat(fleet.nodes()).isEqualTo(2);
        assertThat(fleet.version()).isEqualTo(1);
        assertThat(fleet.digest()).isEqualTo(api.get("/api/rules").string("digest"));
    }

    @Test
    void knowsItsNodesAgainAfterARestart() throws Exception {
        new FakeNode(api, "n1").runs(1);
        // The next turn stores the reports.
        clock.advance(Duration.ofSeconds(2));
        FakeNode node = new FakeNode(api, "n2");
        node.runs(1);
        Await.until("another turn", SOON, () -> {
            clock.advance(Duration.ofMillis(100));
            node.runs(1);
            return isStored();
        });
        center.close();
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        api.release("login", 6);
        // The nodes have not reported yet, but are not forgotten: the release is not done before they confirm it.
        assertThat(api.get("/api/rollouts/2").number("waiting")).isEqualTo(2);
    }

    private boolean isStored() {
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + data.resolve("center.db"));
                var rows = connection.createStatement().executeQuery("SELECT COUNT(*) FROM node_report")) {
            return rows.getInt(1) == 2;
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitState(long rollout, String state) {
        Await.until("rollout " + rollout + " " + state, SOON, () -> {
            center.step();
            return api.get("/api/rollouts/" + rollout).string("state").equals(state);
        });
    }
}
