package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What people do with the console, from the first sign-in to the audit log, in a real browser. */
class ConsoleJourneysTest extends OnStage {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String RULE = "flash-sale";

    private static void await(String what, BooleanSupplier condition) {
        Await.untilSeldom(what, SOON, condition);
    }

    /** Gives a reason in the dialog, and confirms. */
    private static void confirm(String reason) {
        page.type("dialog-reason", reason);
        browser.confirm();
    }

    private static long version() {
        return stage.machine().get("/api/status").expect(200).number("version");
    }

    private static JsonNode newestRollout() {
        return stage.machine().get("/api/rollouts?limit=1").expect(200).json().get(0);
    }

    /** Ends the trial that goes on, if there is one, and waits until nothing is on its way to nodes. */
    private static void endTrial() {
        JsonNode newest = newestRollout();
        if (newest.get("state").asString().matches("trial|holding")) {
            stage.as("sam")
                    .post(
                            "/api/rollouts/" + newest.get("id").asLong() + "/abort",
                            "{\"reason\":\"another one is to begin\"}")
                    .expect(202);
        }
        await(
                "the end of the trial",
                () -> !newestRollout().get("state").asString().matches("trial|holding|releasing"));
    }

    @Test
    void signsInAndSeesWhoIsRefusedWithoutScrolling() {
        page.go(stage.url() + "/assets/icon.svg");
        page.forget();
        page.go(stage.url() + "/");
        page.awaitPath("/sign-in");
        page.awaitFocus("user");
        page.type("user", "sam");
        page.type("password", ConsoleStage.PASSWORD);
        page.click("submit");
        page.awaitPath("/");
        browser.ready();
        for (String panel : new String[] {"refusals", "health", "callers", "changes"}) {
            page.awaitShown("#" + panel);
            await(
                    "lower edge of " + panel,
                    () -> Integer.parseInt(page.script(
                                    "return String(Math.round(document.getElementById(arguments[0]).getBoundingClientRect().bottom))",
                                    panel))
                            <= 900);
        }
        page.awaitTextOf("#top-rules", "search");
        page.awaitTextOf("#callers", "****");
        page.awaitShown("#changes [data-version]");
        browser.picture("journey-now");
    }

    @Test
    void overridesACallerAndRollsBack() {
        browser.signIn("sam").view("/");
        page.clickOn("#caller-table tbody a[data-hash]");
        page.awaitShown("#caller button[data-limit]");
        page.clickOn("#caller button[data-limit]");
        page.choose("dialog-in", "15m");
        confirm("case 4712: a partner runs a test");
        await(
                "an override",
                () -> stage.machine().get("/api/overrides").text().contains("case 4712: a partner runs a test"));
        endTrial();
        browser.view("/");
        long before = version();
        page.clickOn("#roll-back");
        confirm("incident 313: searches are refused");
        await("a new version", () -> version() > before);
        page.awaitTextOf("#changes", "incident 313");
    }

    @Test
    void aChangeWhoseAnswerIsLostIsMadeOnceWhenItIsConfirmedAgain() {
        browser.signIn("sam").view("/");
        page.clickOn("#caller-table tbody a[data-hash]");
        page.awaitShown("#caller button[data-limit]");
        page.clickOn("#caller button[data-limit]");
        page.choose("dialog-in", "15m");
        String unused = page.script("""
                const send = window.fetch;
                window.fetch = async (path, options) => {
                  const answer = await send(path, options);
                  if (options.method === 'POST' && !window.lost) {
                    window.lost = true;
                    throw new TypeError('the answer is lost');
                  }
                  return answer;
                };
                return '';
                """);
        page.type("dialog-reason", "case 4713: sent twice");
        page.clickOn("#dialog-confirm");
        page.awaitTextOf("#dialog-error", "The center does not answer");
        browser.confirm();
        await("an answer", () -> page.script("return String(!document.querySelector('dialog[open]'))")
                .equals("true"));
        String overrides = stage.machine().get("/api/overrides").text();
        assertThat(overrides.split("case 4713: sent twice", -1)).hasSize(2);
    }

    @Test
    void writesARuleTriesItOnSomeCallersAndPromotesIt() {
        endTrial();
        browser.signIn("wei").view("/rules");
        page.clickOn("#new-rule");
        browser.ready();
        page.awaitShown(".CodeMirror");
        String unused = page.script(
                "document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])",
                "id: " + RULE + "\nname: A short sale\nresource: /api/flash-sale\nlimits:\n"
                        + "  - { by: user, limit: 3, windo: 1m }\n");
        page.awaitTextOf("#found", "windo");
        unused = page.script(
                "document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])",
                "id: " + RULE + "\nname: A short sale\nresource: /api/flash-sale\nlimits:\n"
                        + "  - { by: user, limit: 3, window: 1m }\n");
        page.awaitTextOf("#preview", "3 per minute");
        page.type("change-title", "A limit for the sale");
        page.type("change-reason", "marketing, ticket MK-7");
        page.click("open-change");
        page.awaitShown("#release");
        String change = page.url().replaceAll(".*/changes/", "");
        page.clickOn("#release");
        page.choose("release-to", "callers");
        page.type("release-steps", "5");
        page.choose("release-by", "user");
        browser.confirm();
        page.awaitShown("#to-all");
        String rollout = page.url().replaceAll(".*/releases/", "");
        await("nodes that try it", () -> rollout(rollout).number("applied") > 0);
        page.clickOn("#to-all");
        confirm("nobody noticed");
        await("everybody has it", () -> rollout(rollout).string("state").equals("done"));
        assertThat(stage.machine().get("/api/changes/" + change).string("state"))
                .isEqualTo("released");
        stage.decides(RULE, 3, 40);
        browser.view("/rules/" + RULE);
        await("refusals of the rule", () -> page.texts("#refused").stream()
                .anyMatch(each -> each.matches("(?s).*[1-9].*")));
        browser.view("/rules/" + RULE).picture("journey-rule");
    }

    private static Answer rollout(String id) {
        return stage.machine().get("/api/rollouts/" + id).expect(200);
    }

    @Test
    void approvesAsASecondPerson() {
        JsonNode waiting = stage.machine()
                .get("/api/changes?state=open")
                .expect(200)
                .json()
                .valueStream()
                .filter(each -> each.get("title").asString().startsWith("Payments"))
                .findFirst()
                .orElseThrow();
        String path = "/changes/" + waiting.get("id").asLong();
        browser.signIn("wei").view(path);
        assertThat(page.shows("#approve")).isFalse();
        page.awaitShown("#you-opened");
        browser.signIn("priya").view(path);
        page.clickOn("#approve");
        page.awaitShown("#dialog-confirm");
        browser.confirm();
        // Approvals carry the name of the account.
        page.awaitTextOf("#approvals .approval", "priya");
        page.awaitHidden("#approve");
        JsonNode given = stage.machine().get("/api" + path).expect(200).json().at("/approval/given");
        assertThat(given.valueStream().filter(each -> each.get("holds").asBoolean()))
                .extracting(each -> each.get("by").asString())
                .containsExactly("user:priya");
    }

    @Test
    void explainsAPastedCommand() {
        browser.signIn("lena").view("/explain");
        page.type("command", "curl -X POST https://shop.example/api/login -d '{}'");
        page.type("attribute-service", "user-service");
        page.type("attribute-ip", "203.0.113.77");
        page.click("explain");
        page.awaitShown("#match-login");
        // Nodes have to answer within seconds. On a slow machine somebody asks again.
        await("the counts of a node", () -> {
            if (page.shows("#decision[data-outcome=undecided]") && page.shows("#explain[aria-disabled=false]")) {
                page.click("explain");
            }
            return page.shows("#decision[data-outcome=refused]");
        });
    }

    @Test
    void verifiesTheAuditLog() {
        // The first page may be full of what others did since.
        browser.signIn("mara").view("/audit?actor=wei");
        page.awaitTextOf("#audit-rows", "wei");
        browser.view("/audit");
        page.clickOn("#verify");
        page.awaitShown("#verdict[data-good=true]");
    }

    @Test
    void hidesWhatARoleMayNotDo() {
        browser.signIn("lena").view("/rules/search");
        page.awaitShown("#words");
        page.awaitShown("#menu-rules");
        for (String button : new String[] {"#edit", "#remove", "#override", "#switch", "#menu-people", "#menu-audit"}) {
            assertThat(page.shows(button)).as(button).isFalse();
        }
        browser.view("/");
        page.awaitShown("#changes [data-version]");
        assertThat(page.shows("#roll-back, #end-trial")).isFalse();
        browser.view("/people");
        page.awaitShown("#problem");
    }

    @Test
    void switchesLanguageThemeAndTimeWithKeys() {
        browser.signIn("sam").look("light", "en").view("/rules");
        try {
            switchWithKeys();
        } finally {
            browser.look("light", "en");
        }
    }

    private static void switchWithKeys() {
        page.awaitTextOf("#title", "Rules");
        page.keys("z");
        page.awaitTextOf("#title", "规则");
        page.keys("m");
        await("dark colours", () -> page.script("return document.documentElement.dataset.theme")
                .equals("dark"));
        String zone = page.text("zone");
        page.keys("u");
        await("another zone", () -> !page.text("zone").equals(zone));
        page.keys("z");
        page.awaitTextOf("#title", "Rules");
        page.keys("?");
        page.awaitShown("#keys");
        page.keys(org.openqa.selenium.Keys.ESCAPE);
        page.awaitHidden("#keys");
        // Too late, the second key stands alone.
        await("the nodes", () -> {
            page.keys("g", "f");
            return page.url().endsWith("/nodes");
        });
        browser.ready();
        page.keys("/");
        page.awaitShown("#search");
        page.keys("payments");
        page.awaitTextOf("#search-results", "payments");
        page.keys(org.openqa.selenium.Keys.ENTER);
        await("the page of a rule", () -> page.url().contains("payments"));
    }

    @Test
    @Tag("long")
    void worksOnASlowNetwork() {
        browser.signIn("lena").view("/");
        page.network(false, 300, 200);
        try {
            browser.view("/rules");
            page.awaitTextOf("#rules", "search");
            browser.move("/nodes");
            page.awaitTextOf("#main", "gateway-fra-1");
        } finally {
            page.network(false, 0, 0);
        }
    }

    @Test
    void aViewThatCouldNotBeLoadedCanBeTriedAgain() {
        browser.signIn("lena").view("/rules");
        // A view that was not opened before has to come from the center.
        try (var unused = browser.expect("net::ERR_|dynamically imported module")) {
            page.network(true, 0, 0);
            try {
                browser.move("/retention");
                page.awaitShown("#problem #again");
            } finally {
                page.network(false, 0, 0);
            }
            page.click("again");
            await("the view", () -> page.shows("main[data-ready=true][data-view=retention]"));
            page.awaitHidden("#problem");
        }
    }

    @Test
    void goesOnAfterTheCenterWasRestarted() throws Exception {
        browser.signIn("lena").view("/nodes");
        await("a stream", () -> page.text("stream").contains("live"));
        try (var unused = browser.expect("/api/\\S* .*(net::ERR_|status of 50[234])")) {
            stage.restart(() -> page.awaitShown("#stream.bad"));
            await("a stream again", () -> page.text("stream").contains("live"));
            page.awaitHidden("#load-error");
            page.awaitTextOf("#main", "gateway-fra-1");
        }
    }

    @Test
    void twoTabsReadOneStream() {
        String count = "window.__streams = 0; window.EventSource = class extends EventSource {"
                + " constructor(...all) { super(...all); window.__streams++; } };";
        browser.signIn("lena");
        String first = page.currentTab();
        String script = page.before(count);
        browser.view("/");
        await("a stream", () -> page.text("stream").contains("live"));
        String second = page.openTab();
        try {
            String unused = page.before(count);
            browser.view("/nodes");
            await("the stream of the other tab", () -> page.text("stream").contains("live"));
            assertThat(page.script("return String(window.__streams)")).isEqualTo("0");
            page.toTab(first);
            // It opens another one if the first was silent for too long.
            assertThat(page.script("return String(window.__streams)")).isNotEqualTo("0");
            // The other tab takes over when this one goes.
            page.go("about:blank");
            page.toTab(second);
            await("its own stream", () -> !page.script("return String(window.__streams)")
                    .equals("0"));
            await("live again", () -> page.text("stream").contains("live"));
            browser.requireNoErrors();
        } finally {
            page.toTab(second);
            page.closeTab(first);
            page.forgetBefore(script);
        }
    }
}
