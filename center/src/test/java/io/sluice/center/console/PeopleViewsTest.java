package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient;
import io.sluice.center.Center;
import io.sluice.center.Chromium;
import io.sluice.center.PreparedCenter;
import io.sluice.center.StagedCenter;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.testkit.SeededRandom;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** People, tokens, alerts and the audit log, in a real browser. */
class PeopleViewsTest {

    @TempDir
    static Path data;

    private static Center center;
    private static ConsoleBrowser browser;
    private static Chromium page;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data.resolve("center")));
        String hash = StagedCenter.hash(center, ConsoleStage.PASSWORD);
        StagedCenter.account(center, "mara", "Mara Vogel", hash, List.of(Grant.of(Role.ADMINISTRATOR)));
        StagedCenter.account(center, "sam", "Sam Okafor", hash, List.of(Grant.of(Role.OPERATOR)));
        StagedCenter.account(center, "lena", "Lena <img src=x>", hash, List.of(Grant.of(Role.VIEWER)));
        browser = ConsoleBrowser.open(data, center.publicUrl());
        page = browser.page();
    }

    @AfterAll
    static void close() {
        try {
            if (browser != null) {
                browser.close();
            }
        } finally {
            center.close();
        }
    }

    @AfterEach
    void nothingFailed() {
        browser.requireNoErrors();
    }

    /** Nobody is signed in any more, then somebody else. */
    private static ConsoleBrowser as(String name) {
        page.go(center.publicUrl() + "/assets/icon.svg");
        page.forget();
        return browser.signIn(name);
    }

    private static void confirm() {
        browser.confirm();
    }

    @Test
    void aPersonIsAddedAndTheLinkIsShownOnce() {
        as("mara").look("light", "en").view("/people");
        page.click("add-person");
        page.type("person-user", "ann");
        page.type("person-display", "Ann Lee");
        page.type("tenant-0", "acme");
        page.click("person-next");
        page.awaitTextOf("#dialog-title", "ann");
        confirm();
        page.awaitTextOf("#new-link-panel code", "/set-up#");
        page.awaitTextOf("#accounts", "Ann Lee");
        assertThat(ApiClient.of(center).get("/api/users").text()).contains("{\"role\":\"viewer\",\"tenant\":\"acme\"}");
        page.click("link-sent");
        page.awaitHidden("#new-link-panel");
        assertThat(page.script("return document.body.innerHTML")).doesNotContain("/set-up#");
    }

    @Test
    void rolesChangeAndAnAccountIsDisabledWithAReason() {
        String hash = StagedCenter.hash(center, ConsoleStage.PASSWORD);
        StagedCenter.account(center, "tom", "Tom Hale", hash, List.of(Grant.of(Role.VIEWER)));
        as("mara").look("light", "en").view("/people");
        page.click("user-tom");
        page.click("edit");
        page.click("another-role");
        page.type("labels-1", "team=shop");
        page.click("person-next");
        page.awaitTextOf(".asked-roles", "team=shop");
        page.type("dialog-reason", "joins the shop");
        confirm();
        page.awaitTextOf("#person", "team=shop");
        page.click("disable");
        page.type("dialog-reason", "left the company");
        confirm();
        page.awaitTextOf("#person", "disabled");
        browser.view("/audit?kind=disable_account");
        page.awaitTextOf("#audit-rows tbody", "disabled the account tom");
        page.awaitTextOf("#audit-rows tbody", "left the company");
    }

    @Test
    void theSecretOfATokenIsShownOnce() {
        as("sam").look("light", "en").view("/tokens?form=make");
        assertThat(page.has("scope-node")).isFalse();
        assertThat(page.has("scope-apply")).isFalse();
        page.type("token-name", "pager");
        page.click("scope-operate");
        page.click("token-next");
        confirm();
        page.awaitShown("#new-token code");
        String secret = page.texts("#new-token code").get(0);
        assertThat(ApiClient.of(center).withToken(secret).get("/api/rules").status())
                .isEqualTo(200);
        page.click("token-kept");
        page.awaitHidden("#new-token");
        page.awaitTextOf("#tokens tbody", "pager");
        page.clickOn("#tokens [id^=revoke-]");
        page.type("dialog-reason", "the pager has another one");
        confirm();
        page.awaitHidden("#tokens tbody tr");
        assertThat(ApiClient.of(center).withToken(secret).get("/api/rules").status())
                .isEqualTo(401);
        assertThat(ApiClient.of(center)
                        .get("/api/audit?kind=revoke_token")
                        .expect(200)
                        .text())
                .contains("the pager has another one");
    }

    @Test
    void alertRulesAndSilencesChangeWithAReason() {
        as("mara").look("light", "en").view("/alerts?tab=rules");
        page.click("add-rule");
        page.type("dialog-id", "login-refusals");
        page.type("dialog-share", "10");
        page.type("dialog-rule", "login");
        page.type("dialog-reason", "logins matter most");
        confirm();
        page.awaitTextOf("#alert-rules", "At least 10 % of the requests to rule login");
        page.click("turn-login-refusals");
        page.type("dialog-reason", "too noisy");
        confirm();
        page.awaitTextOf("#alert-rules", "off");
        browser.view("/alerts?tab=silences");
        page.click("add-silence");
        page.type("dialog-reason", "we replace machines");
        confirm();
        page.awaitTextOf("#silences", "we replace machines");
        page.clickOn("#silences [id^=end-]");
        page.type("dialog-reason", "done");
        confirm();
        page.awaitShown("#no-silences");
    }

    @Test
    void theLogIsReadInWordsAndVerified() {
        ApiClient.of(center)
                .put("/api/alerts/rules/drift", "{\"for\":\"5m\",\"revision\":0,\"reason\":\"a slow Redis\"}")
                .expect(200);
        as("sam").look("light", "en").view("/audit?kind=change_alert_rule&actor=token:admin");
        page.awaitTextOf("#audit-rows tbody", "changed the alert rule drift");
        page.clickOn("#audit-rows tbody a");
        page.awaitTextOf("#row-compared", "− for: 1m");
        page.awaitTextOf("#row-compared", "+ for: 5m");
        browser.view("/audit");
        page.click("verify");
        page.awaitShown("#verdict[data-good=true]");
        page.awaitTextOf("#integrity", "as they were written");
        page.awaitTextOf("#completeness", "No row is missing");
        page.awaitTextOf("#unverified", "You named no key that you trust");
    }

    @Test
    void somebodySeesOnlyWhatTheRoleAllows() {
        as("lena").look("light", "en").view("/alerts?tab=silences");
        assertThat(page.has("add-silence")).isFalse();
        browser.view("/alerts?tab=rules");
        assertThat(page.has("add-rule")).isFalse();
        assertThat(page.has("menu-people")).isFalse();
        assertThat(page.has("menu-audit")).isFalse();
        browser.view("/people");
        page.awaitTextOf("#problem", "Your role does not allow this page");
        browser.view("/audit");
        page.awaitTextOf("#problem", "Your role does not allow this page");
    }

    @Test
    void namesAreTextAndNothingElse() {
        as("mara").look("light", "en").view("/people?q=lena");
        page.awaitTextOf("#accounts tbody", "Lena <img src=x>");
        assertThat(page.script("return String(document.querySelectorAll('main img').length)"))
                .isEqualTo("0");
    }

    @Test
    void everyViewHasAChineseTitleAndFits() {
        as("mara").look("dark", "zh");
        List<String> paths = List.of(
                "/alerts",
                "/alerts?tab=rules",
                "/alerts?tab=silences",
                "/alerts?tab=destinations",
                "/audit",
                "/people?form=add",
                "/tokens?form=make",
                "/account",
                "/retention");
        for (String path : SeededRandom.sample(paths, 3)) {
            browser.view(path);
            assertThat(page.script("return document.querySelector('h1').innerText"))
                    .as(path)
                    .matches("\\p{IsHan}.*");
            assertThat(browser.overflow()).as(path).isLessThanOrEqualTo(0);
        }
    }
}
