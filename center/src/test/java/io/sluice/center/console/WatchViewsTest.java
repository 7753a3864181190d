package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The first screen, traffic and callers, as an engineer on call uses them. The last test rolls the stage back. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WatchViewsTest extends OnStage {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @BeforeAll
    static void open() {
        browser.signIn("sam");
    }

    private static void press(String css) {
        // In one step: the page may draw it anew at any time.
        Await.untilSeldom(
                "something to press: " + css,
                PATIENCE,
                () -> Boolean.parseBoolean(page.script(
                        "const found = [...document.querySelectorAll(arguments[0])]"
                                + ".find((each) => each.getClientRects().length > 0);"
                                + "found?.click(); return String(found !== undefined)",
                        css)));
    }

    private static void change(String name) {
        // The page reads on until it is left, and may be refused.
        try (var unused = browser.expect("/api/\\S* .*status of 401")) {
            page.click("sign-out");
            page.awaitPath("/sign-in");
        }
        browser.signIn(name);
    }

    /** Gives a reason and confirms. */
    private static void confirm(String reason) {
        page.type("dialog-reason", reason);
        browser.confirm();
    }

    @Test
    @Order(1)
    void firstScreenAnswersWithoutScrolling() {
        page.size(1440, 900);
        browser.view("/");
        page.awaitText("refused-now", "/s");
        page.awaitText("culprit", "v11");
        page.awaitTextOf("#top-rules .rule-name", "search");
        page.awaitTextOf("#caller-table td", "search.tenant");
        page.awaitText("health", "decides without the shared store");
        page.awaitTextOf("#changes .release", "search: limit tenant 5000 per 1m → 1200 per 1m");
        page.await("roll-back");
        page.await("emergency");
        Await.untilSeldom(
                "a page that needs no scrolling",
                PATIENCE,
                () -> Integer.parseInt(page.script("return String(document.documentElement.scrollHeight)")) <= 900);
        assertThat(browser.overflow()).isZero();
    }

    @Test
    @Order(2)
    void countsOfTheStreamMoveFiguresWithoutReadingThemAgain() {
        browser.view("/?last=6h");
        page.awaitText("refused-now", "/s");
        // From now on the page reads nothing but the stream.
        String before = page.script("window.fetch = () => new Promise(() => {}); window.points = [];"
                + "const text = document.querySelector('#refused-now');"
                + "new MutationObserver(() => window.points.push(text.innerText))"
                + ".observe(text, {subtree: true, characterData: true, childList: true}); return ''");
        assertThat(before).isEmpty();
        Await.untilSeldom(
                "other figures",
                PATIENCE,
                () -> Integer.parseInt(page.script("return String(window.points.length)")) > 0);
    }

    @Test
    @Order(3)
    void ruleFiltersTheWholePage() {
        browser.view("/");
        press(".rule-row[data-rule=login]");
        page.awaitText("only-rule", "login");
        assertThat(page.url()).contains("rule=login");
        page.awaitTextOf("#caller-table td", "login.0");
        Await.untilSeldom("callers of login alone", PATIENCE, () -> page.texts("#caller-table td:nth-child(2)").stream()
                .allMatch("login.0"::equals));
        press("#only-rule button");
        page.awaitTextOf("#caller-table td", "search.tenant");
    }

    @Test
    @Order(4)
    void callerGetsOtherNumbersFromItsDrawer() {
        browser.view("/");
        page.awaitTextOf("#caller-table td", "search.tenant");
        press("#caller-table a[data-hash]");
        page.awaitTextOf("#caller-decisions td", "search.tenant");
        assertThat(page.url()).contains("caller=");
        press("#caller-limits button[data-limit='search.tenant']");
        page.await("dialog-limit");
        assertThat(page.script("return document.querySelector('#dialog-limit').value"))
                .isEqualTo("2400");
        confirm("ticket 4711");
        page.awaitText("caller-overrides", "limit 2400");
        page.awaitText("caller-overrides", "ticket 4711");
    }

    @Test
    @Order(5)
    void callerIsRevealedOnceOnItsPage() {
        browser.view("/callers/" + ShopCallers.overridden());
        page.awaitTextOf("#caller-limits td", "search.user");
        page.click("reveal");
        page.type("dialog-reason", "case 4711");
        browser.confirmUntilNodesAnswer();
        page.awaitText("revealed", "u-100086");
        browser.view("/callers/" + ShopCallers.overridden());
        page.awaitTextOf("#caller-limits td", "search.user");
        assertThat(page.has("revealed")).isFalse();
    }

    @Test
    @Order(6)
    void unknownCallerIsSaidToBeUnknown() {
        try (var unused = browser.expect("/api/callers/A+\\S* .*status of 404")) {
            browser.view("/callers/" + "A".repeat(43));
            page.awaitTextOf("main .nothing strong", "Nothing is known");
            // The page that asks again is left before errors fail the test again.
            browser.view("/account");
        }
    }

    @Test
    @Order(7)
    void trafficKeepsItsStateInTheAddress() {
        browser.view("/traffic?rule=search&last=1d");
        page.awaitText("chip-rule", "search");
        page.awaitTextOf("#rule-table tr.chosen td", "search");
        page.click("zoom-out");
        Await.untilSeldom("three days", PATIENCE, () -> page.url().contains("last=3d"));
        page.click("zoom-in");
        Await.untilSeldom("one day", PATIENCE, () -> page.url().contains("last=1d"));
        page.click("zoom-out");
        Await.untilSeldom("three days again", PATIENCE, () -> page.url().contains("last=3d"));
        press("#chip-rule button");
        Await.untilSeldom("all rules", PATIENCE, () -> !page.url().contains("rule="));
        page.awaitShown("#timing canvas");
        page.type("find", "globex");
        Await.untilSeldom(
                "one rule", PATIENCE, () -> page.texts("#rule-table tbody tr").size() == 1);
        browser.view("/traffic?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&caller=" + ShopCallers.overridden());
        page.awaitText("about", "7 days");
    }

    @Test
    @Order(8)
    void ruleIsSwitchedToShadowAndBack() {
        browser.view("/?rule=login");
        page.click("emergency");
        page.await("dialog-rule");
        assertThat(page.script("return document.querySelector('#dialog-rule').value"))
                .isEqualTo("login");
        confirm("incident 12");
        page.awaitTextOf(".switch-line", "login refuses nothing");
        press(".switch-line button");
        confirm("it is over");
        page.awaitHidden(".switch-line");
    }

    @Test
    @Order(9)
    void peopleOfATenantSeeOnlyItsRules() {
        change("nora");
        browser.view("/");
        Await.untilSeldom("the only rule", PATIENCE, () -> page.texts("#top-rules .rule-name")
                .equals(List.of("acme-api")));
        assertThat(page.has("health")).isFalse();
        assertThat(page.has("roll-back")).isFalse();
        assertThat(page.has("emergency")).isFalse();
        change("sam");
    }

    @Test
    @Order(10)
    void rollsBackWithOneClickAndAReason() {
        browser.view("/");
        page.click("roll-back");
        page.awaitTextOf("dialog .sentences li", "search: limit tenant 1200 per 1m → 5000 per 1m");
        confirm("incident 313");
        page.awaitTextOf("#changes .release", "incident 313");
    }
}
