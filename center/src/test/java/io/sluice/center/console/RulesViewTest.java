package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The list of rules, one rule, and the editor, in a real browser. */
class RulesViewTest extends OnStage {

    /** A text that was not saved would be in the editor of the next test. */
    @AfterEach
    void forgetTexts() {
        String unused = page.script("sessionStorage.clear()");
    }

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final String SEARCH = """
            id: search
            name: Search by tenant
            labels: { team: discovery }
            service: search-service
            resource: /api/search
            methods: [GET]
            limits:
              - { id: tenant, by: tenant, limit: %s, window: 1m }
              - { id: user, by: user, rate: 5/s, burst: 15 }
            """;

    /** A rule for each algorithm and the words for it, in both languages. */
    private static final List<List<String>> WORDS = List.of(
            List.of(
                    "{limits: [{by: 'header.x-phone', limit: 1, window: '1m'}, {by: 'header.x-phone', limit: 5, window: '1h'},"
                            + " {by: 'header.x-phone', limit: 10, window: '1d'}]}",
                    "Each phone number: 1 per minute, 5 per hour, 10 per day",
                    "每个手机号：每分钟 1 次，每小时 5 次，每天 10 次"),
            List.of(
                    "{limits: [{by: 'user', rate: '10/s', burst: 20}]}",
                    "Each user: 10 per second (up to 20 at once)",
                    "每个用户：每秒 10 次（瞬时最多 20 次）"),
            List.of(
                    "{limits: [{by: 'tenant', algorithm: 'leaky_bucket', rate: '2/s', capacity: 10, max_wait: '5s'}]}",
                    "Each tenant: 2 per second (evenly spaced, at most 10 wait, waits up to 5 seconds)",
                    "每个租户：每秒 2 次（匀速，最多 10 个排队，最长等待 5 秒）"),
            List.of(
                    "{limits: [{by: 'tenant', algorithm: 'fixed_window', limit: 1000000, align: 'month'}]}",
                    "Each tenant: 1,000,000 per calendar month",
                    "每个租户：每个自然月 1,000,000 次"),
            List.of(
                    "{limits: [{by: 'ip', algorithm: 'sliding_log', limit: 5, window: '10s'}]}",
                    "Each address: 5 per 10 seconds (exact)",
                    "每个 IP 地址：每 10 秒 5 次（精确）"),
            List.of(
                    "{limits: [{by: ['tenant', 'user'], algorithm: 'concurrency', limit: 2, ttl: '30s'}]}",
                    "Each tenant and user: 2 at the same time (each for at most 30 seconds)",
                    "每个租户与用户：同时最多 2 个（每个最长 30 秒）"),
            List.of("{limits: [{limit: 0, window: '1m'}]}", "All callers together: none", "所有调用方合计：一律拒绝"),
            List.of("{action: 'deny'}", "Refused at once", "直接拒绝"));

    @Test
    void findsARuleByKeyboard() {
        browser.signIn("lena").look("light", "en").view("/rules");
        page.type("q", "text messages");
        Await.untilSeldom(
                "one rule", PATIENCE, () -> page.texts("#rules tbody tr").size() == 1);
        page.awaitTextOf("#rules tbody tr", "Each phone number: 1 per minute, 5 per hour");
        assertThat(page.url()).contains("q=text");
        page.keys(Keys.ARROW_DOWN);
        page.awaitShown("#rules tr.chosen");
        page.keys(Keys.ENTER);
        page.awaitPath("/rules/sms");
        page.awaitTextOf("#words .line-limit", "Each phone number: 1 per minute");
        page.awaitTextOf("#rule-text", "by: header.x-phone");
    }

    @Test
    void filtersByState() {
        browser.signIn("lena").look("light", "en").view("/rules?state=disabled");
        assertThat(page.texts("#rules tbody tr")).singleElement().asString().contains("partner-feed");
        browser.view("/rules?state=trial");
        assertThat(page.texts("#rules tbody tr")).singleElement().asString().contains("cart");
    }

    @Test
    void saysEveryAlgorithmInWordsInBothLanguages() {
        browser.signIn("lena").view("/rules");
        for (List<String> each : WORDS) {
            assertThat(words(each.get(0), "en")).isEqualTo(each.get(1));
            assertThat(words(each.get(0), "zh")).isEqualTo(each.get(2));
        }
    }

    private static String words(String rule, String language) {
        return page.async(
                "const done = arguments[arguments.length - 1];"
                        + "Promise.all([import('/assets/console/rule-words.js'), import('/assets/texts.js')])"
                        + ".then(([words, texts]) => { texts.language.value = arguments[0]; done(words.ruleShort("
                        + rule
                        + ")); }, (failure) => done(String(failure)))",
                language);
    }

    @Test
    void somebodyWhoLooksOnHasNoButtons() {
        browser.signIn("lena").look("light", "en").view("/rules/search");
        page.awaitTextOf("#words .line-limit", "Each tenant");
        assertThat(List.of("edit", "switch", "override", "remove")).noneMatch(page::has);
        browser.view("/rules");
        assertThat(page.has("new-rule")).isFalse();
        browser.view("/editor");
        page.await("problem");
    }

    @Test
    void completesKeysAndValuesAtTheirPlaces() {
        browser.signIn("lena").look("light", "en").view("/rules");
        assertThat(completed("limits:\n  - { by: ip, algorithm: s")).isEqualTo("sliding_window sliding_log");
        assertThat(completed("limits:\n  - by: ip\n    algorithm: concurrency\n    t"))
                .isEqualTo("ttl");
        assertThat(completed("id: x\non_failure: ")).isEqualTo("local open closed");
        assertThat(completed("overrides:\n  - { when: { pl")).isEqualTo("plan");
        assertThat(completed("id: x\nmetho")).isEqualTo("methods");
    }

    private static String completed(String text) {
        return page.async(
                "const done = arguments[arguments.length - 1];"
                        + "Promise.all([import('/assets/console/rule-completion.js'), fetch('/api/rules/schema')"
                        + ".then((answer) => answer.json())]).then(([module, schema]) => {"
                        + "const lines = arguments[0].split('\\n');"
                        + "done(module.complete(schema, arguments[0], lines.length - 1, lines[lines.length - 1].length)"
                        + ".items.map((item) => item.text).join(' ')); }, (failure) => done(String(failure)))",
                text);
    }

    @Test
    void writesAChangeWithLiveChecks() {
        browser.signIn("wei").look("light", "en").view("/editor?rule=search");
        page.awaitText("check-state", "No errors");
        write(SEARCH.formatted("many"));
        page.awaitText("check-state", "1 error");
        page.awaitShown(".CodeMirror-lint-marker-error");
        page.awaitText("found", "Line 8");
        write(SEARCH.formatted("2400"));
        page.awaitText("check-state", "No errors");
        page.awaitTextOf("#preview .line-limit", "Each tenant: 2,400 per minute");
        page.awaitTextOf("#diff .rule-diff-added", "limit: 2400");
        // The text outlives the page.
        browser.view("/editor?rule=search");
        page.await("restored");
        page.awaitTextOf("#preview .line-limit", "Each tenant: 2,400 per minute");
        page.click("open-change");
        page.awaitFocus("change-title");
        page.type("change-title", "Search: 2,400 a minute");
        page.type("change-reason", "ticket 4712");
        page.click("open-change");
        page.awaitShown("main[data-view=change]");
        ApiClient.Answer change = stage.as("wei")
                .get("/api/changes/" + page.url().replaceAll(".*/", ""))
                .expect(200);
        assertThat(change.string("title")).isEqualTo("Search: 2,400 a minute");
        assertThat(change.text()).contains("2400");
    }

    private static void write(String text) {
        String unused = page.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", text);
    }

    @Test
    void aKeyboardGetsIntoTheTextAndOutOfIt() {
        browser.signIn("wei").look("light", "en").view("/editor");
        page.awaitShown(".CodeMirror");
        String unused = page.script("document.querySelector('.CodeMirror').CodeMirror.focus()");
        page.keys(Keys.ESCAPE);
        page.keys(Keys.TAB);
        Await.untilSeldom("a focus outside of the text", PATIENCE, () -> page.script(
                        "return String(document.activeElement.closest('.CodeMirror') === null)")
                .equals("true"));
    }

    @Test
    void endsASwitchAndGivesACallerOtherNumbers() {
        browser.signIn("sam").look("light", "en").view("/rules/coupons");
        page.clickOn("#above-table button");
        page.type("dialog-reason", "the campaign is over");
        browser.confirm();
        page.awaitShown("#switch");
        page.click("override");
        page.type("dialog-caller", "u-4711");
        page.type("dialog-limit", "100");
        page.type("dialog-reason", "case 4711");
        browser.confirm();
        page.awaitTextOf("#above-table tbody tr", "limit 100");
    }

    @Test
    void aDryRunSaysWhatTheTextWouldHaveRefused() {
        browser.signIn("wei").look("light", "en").view("/editor?rule=search");
        page.awaitText("check-state", "No errors");
        // The rule in force would refuse what it refuses.
        assertThat(disabled()).isEqualTo("true");
        limit("30");
        page.awaitTextOf("#preview .line-limit", "Each tenant: 30 per minute");
        ask("In the last hour");
        assertThat(page.text("dry-run-sentence"))
                .matches("In the last hour, [0-9,]+ of [0-9,]+ requests would have been refused that were allowed\\."
                        + " They come from [2-4] callers\\.");
        assertThat(page.texts("#dry-run-rules tbody td:first-child")).containsExactly("search");
        assertThat(page.texts("#dry-run-rules tbody td:last-child").get(0)).startsWith("+");
        assertThat(page.texts("#dry-run-callers tbody td:first-child")).startsWith("a****", "i****ch");
        assertThat(page.text("dry-run-notes")).contains("Counts begin unused");
        assertThat(browser.barriers()).isEmpty();
        page.size(390, 844);
        try {
            assertThat(browser.overflow()).isZero();
            browser.picture("editor-dry-run-phone");
        } finally {
            page.size(1440, 900);
        }
        browser.picture("editor-dry-run");
        // What was said is not what the text says now.
        limit("100000");
        page.awaitTextOf("#dry-run-result", "The text has changed since.");
        ask("none of");
        page.awaitHidden("#dry-run-callers");
        limit("many");
        page.awaitText("check-state", "1 error");
        assertThat(disabled()).isEqualTo("true");
    }

    @Test
    @Tag("long")
    void aDryRunSaysItInChinese() {
        browser.signIn("wei").look("dark", "zh").view("/editor?rule=search");
        page.awaitText("check-state", "没有错误");
        limit("30");
        ask("最近一小时的");
        assertThat(page.text("dry-run-sentence")).containsPattern("有 [0-9,]+ 个原本放行的请求会被拒绝，来自 [0-9]+ 个调用方。");
        assertThat(browser.barriers()).isEmpty();
        // On a busy machine a node may be silent, and is named.
        assertThat(page.text("dry-run-notes").replaceAll("gateway-[a-z0-9.:-]+", ""))
                .doesNotContainPattern("[A-Za-z]{4,}");
    }

    @Test
    void withoutRecordingsADryRunSaysHowToRecord() {
        stage.record(false);
        try {
            browser.signIn("wei").look("light", "en").view("/editor");
            page.awaitShown("#dry-run-ask[aria-disabled=false]");
            page.click("dry-run-ask");
            page.awaitTextOf("#dry-run .nothing", "No node records its requests");
            assertThat(page.texts("#dry-run .command code")).containsExactly("./sluice node --record recording");
        } finally {
            stage.record(true);
        }
    }

    /** Asks until at least one node answers. On a busy machine, they may all be silent. Nothing is asked twice at the same time. */
    private static void ask(String part) {
        Await.untilSeldom("a sentence with " + part, Duration.ofMinutes(5), () -> page.script(
                        "const said = document.getElementById('dry-run-sentence');"
                                + "if (said?.textContent.includes(arguments[0]) && document.getElementById('dry-run-rules')) {"
                                + " return 'said'; }"
                                + "const ask = document.getElementById('dry-run-ask');"
                                + "if (ask.getAttribute('aria-disabled') === 'false') { ask.click(); }"
                                + "return 'asked'",
                        part)
                .equals("said"));
    }

    private static void limit(String number) {
        String unused = page.script(
                "const text = document.querySelector('.CodeMirror').CodeMirror;"
                        + "text.setValue(text.getValue().replace(/id: tenant, by: tenant, limit: \\w+/,"
                        + " `id: tenant, by: tenant, limit: ${arguments[0]}`))",
                number);
    }

    private static String disabled() {
        return page.script("return document.getElementById('dry-run-ask').getAttribute('aria-disabled')");
    }
}
