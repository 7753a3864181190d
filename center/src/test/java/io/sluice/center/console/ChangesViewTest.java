package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The way of a change in the console: reviewed, tried, approved, released and taken back. The tests are the steps of one way. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChangesViewTest extends OnStage {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String CHANGE = "/changes/12";

    @Test
    @Order(1)
    void theAuthorSeesTheDifferenceAndThatSomebodyElseMustApprove() {
        browser.signIn("wei").look("light", "en").view("/changes");
        browser.page().clickOn("#change-12");
        browser.page().awaitPath(CHANGE);
        browser.ready();
        browser.page().awaitShown("#you-opened");
        assertThat(browser.page().texts("#diff .rule-diff-removed")).anyMatch(line -> line.contains("\"limit\" : 5"));
        assertThat(browser.page().texts("#diff .rule-diff-added")).anyMatch(line -> line.contains("\"limit\" : 3"));
        assertThat(browser.page().shows("#withdraw")).isTrue();
        assertThat(browser.page().shows("#approve, #reject, #release")).isFalse();
    }

    @Test
    @Order(2)
    void somebodyWhoLooksOnHasNoButtons() {
        browser.signIn("lena").view(CHANGE);
        assertThat(browser.page().shows("#edit, #approve, #reject, #withdraw, #release, #emergency, #rebase"))
                .isFalse();
        browser.move("/releases");
        assertThat(browser.page().shows("#releases-table")).isTrue();
        assertThat(browser.page().shows("[id^=back-]")).isFalse();
        browser.move("/approvals");
        assertThat(browser.page().shows("#settings")).isTrue();
        assertThat(browser.page().shows("#propose")).isFalse();
    }

    @Test
    @Order(3)
    void aTrialShowsItsVerdictAndCanBeEnded() {
        browser.signIn("mara").view("/releases/" + stage.trialRollout());
        Await.untilSeldom(
                "both comparisons",
                PATIENCE,
                () -> browser.page().texts("#verdict .comparison-head").size() == 2);
        browser.page().awaitShown("#verdict svg.interval");
        browser.page().clickOn("#abort");
        confirm("customers complain");
        browser.page().awaitTextOf("h1 .tag", "rolled back");
    }

    @Test
    @Order(4)
    void aSecondPersonApproves() {
        browser.signIn("priya").view("/changes");
        browser.page().awaitTextOf("#waiting a", "Payments: 3 an hour");
        browser.move(CHANGE);
        browser.page().clickOn("#approve");
        browser.confirm();
        browser.page().awaitTextOf("#approvals .tag", "1 of 1 given");
    }

    @Test
    @Order(5)
    void theAuthorReleasesIt() {
        browser.signIn("wei").view(CHANGE);
        browser.page().clickOn("#release");
        browser.page().awaitShown("#release-to");
        browser.confirm();
        // The page of the change has the same title.
        Await.untilSeldom(
                "the page of the release", PATIENCE, () -> browser.page().url().contains("/releases/"));
        browser.page().awaitTextOf("h1", "Payments: 3 an hour for each card");
    }

    @Test
    @Order(6)
    void aRollbackShowsTheDifferenceFirst() {
        browser.signIn("mara").view("/releases");
        browser.page().clickOn("#back-3");
        browser.page().awaitTextOf("#rollback-counts", "changed");
        browser.page()
                .script("const how = document.querySelector('#release-how'); how.value = 'change';"
                        + "how.dispatchEvent(new Event('change', {bubbles: true}))");
        browser.page().awaitTextOf("#dialog-confirm", "Open the change");
        confirm("back to quieter times");
        browser.page().awaitTextOf("h1", "Back to version 3");
        assertThat(browser.page().url()).contains("/changes/");
    }

    @Test
    @Order(7)
    void otherSettingsAreProposedAndApproved() {
        browser.signIn("mara").view("/approvals");
        browser.page().clickOn("#propose");
        browser.page().type("dialog-approvals", "2");
        confirm("payments need more eyes");
        browser.page().awaitShown("#proposals .review");
        browser.signIn("priya").view("/approvals");
        browser.page().clickOn("#approve-proposal-1");
        browser.confirm();
        browser.page().awaitTextOf("#settings", "2 persons");
    }

    private static void confirm(String reason) {
        browser.page().type("dialog-reason", reason);
        browser.confirm();
    }
}
