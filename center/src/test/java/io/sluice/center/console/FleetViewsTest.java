package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Chromium;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;

/** The views of the fleet, of shadow figures, of single decisions and of explanations, in a real browser. */
class FleetViewsTest extends OnStage {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern CHANGE = Pattern.compile("/changes/([0-9]+)$");

    @BeforeAll
    static void open() {
        browser.signIn("mara").look("light", "en");
    }

    @Test
    void nodesWithProblemsComeFirstAndTellWhy() {
        Chromium page = browser.signIn("mara").view("/nodes").page();
        page.awaitTextOf("#problem-nodes", "gateway-iad-1");
        page.awaitShown("#healthy-nodes");

        page.clickOn("#state-refused");
        page.awaitHidden("#healthy-nodes");
        assertThat(page.url()).contains("state=refused");
        page.clickOn("#problem-nodes a");
        String told = stage.machine()
                .get("/api/nodes")
                .json()
                .valueStream()
                .map(node -> node.path("refused").path("errors").path(0).asString(""))
                .filter(error -> !error.isEmpty())
                .findFirst()
                .orElseThrow();
        page.awaitTextOf("#refusal", told);
        assertThat(page.url()).contains("id=");

        page.keys(Keys.ESCAPE);
        page.awaitHidden("#node");
        assertThat(page.url()).doesNotContain("id=");
    }

    @Test
    void stoppingTheLiveTailKeepsItsRows() {
        Chromium page = browser.signIn("mara").view("/decisions?rule=search").page();
        page.awaitShown("#decision-rows tbody tr");
        page.clickOn("#follow");
        page.awaitTextOf("#live-state", "Refusals as they arrive");
        page.clickOn("#stop");
        page.awaitTextOf("#live-state", "Stopped at");
        String newest = newestRow(page);
        String kept = page.text("live-state");

        Await.untilSeldom("a newer refusal", PATIENCE, () -> {
            JsonNode entries = stage.machine()
                    .get("/api/decisions?rule=search&outcome=rejected&limit=1")
                    .get("entries");
            return Instant.parse(entries.path(0).path("timestamp").asString()).isAfter(Instant.parse(newest));
        });
        assertThat(page.shows("#decision-rows time[datetime='" + newest + "']")).isTrue();
        assertThat(page.text("live-state")).isEqualTo(kept);
        assertThat(page.shows("#follow")).isTrue();

        page.clickOn("#decision-rows .as-link");
        page.awaitTextOf("#decision", "search");
        assertThat(page.text("decision-json")).contains("\"rule_id\": \"search\"");
        page.keys(Keys.ESCAPE);
        page.awaitHidden("#decision");
    }

    @Test
    void aSearchGoesOnWhereItEnded() {
        Chromium page = browser.signIn("mara").view("/decisions").page();
        page.awaitShown("#decision-rows tbody tr");
        int first = rows(page);
        page.clickOn("#older");
        Await.untilSeldom("more rows", PATIENCE, () -> rows(page) > first);

        browser.view("/decisions?outcome=denied");
        page.awaitShown("#decision-rows tbody tr");
        assertThat(page.texts("#decision-rows td[data-label=Outcome]"))
                .isNotEmpty()
                .allMatch("denied"::equals);
    }

    @Test
    void aRuleInShadowBecomesLiveByAChange() {
        Chromium page =
                browser.signIn("wei").view("/shadow?rule=payments-velocity").page();
        page.awaitShown("#make-live");
        page.clickOn("#make-live");
        page.awaitShown("#dialog-reason");
        page.type("dialog-reason", "the figures look right");
        browser.confirm();
        Await.untilSeldom(
                "the change", PATIENCE, () -> CHANGE.matcher(page.url()).find());

        Matcher id = CHANGE.matcher(page.url());
        assertThat(id.find()).isTrue();
        JsonNode put = stage.machine()
                .get("/api/changes/" + id.group(1))
                .json()
                .path("edits")
                .path(0)
                .path("put");
        assertThat(put.path("id").asString()).isEqualTo("payments-velocity");
        assertThat(put.path("shadow").asBoolean(false)).isFalse();
    }

    @Test
    void somebodyWhoLooksOnHasNoButtons() {
        Chromium page = browser.signIn("lena").view("/shadow").page();
        page.awaitShown("#observed");
        page.awaitShown("#switches");
        assertThat(page.shows("#make-live, #switch-on, [id^=end-switch-]")).isFalse();
    }

    @Test
    void aPastedCommandIsExplained() {
        Chromium page = browser.signIn("mara").view("/explain").page();
        page.awaitShown("#command");
        page.type("command", "curl -X POST https://shop.example/api/login");
        page.type("attribute-service", "user-service");
        page.type("attribute-ip", "203.0.113.7");
        page.clickOn("#explain");
        page.awaitShown("#decision");
        page.awaitShown("#match-login");
        assertThat(page.text("understood")).contains("/api/login").contains("203.0.113.7");
        assertThat(page.url()).doesNotContain("203.0.113.7");

        page.clickOn("#edit-attributes");
        page.awaitShown("#attribute-path");
        assertThat(page.script("return document.getElementById('attribute-path').value"))
                .isEqualTo("/api/login");
    }

    private static String newestRow(Chromium page) {
        return page.script("return document.querySelector('#decision-rows tbody time').dateTime");
    }

    private static int rows(Chromium page) {
        return Integer.parseInt(
                page.script("return String(document.querySelectorAll('#decision-rows tbody tr').length)"));
    }
}
