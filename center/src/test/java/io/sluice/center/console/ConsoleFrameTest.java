package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;

/** What all views have in common: the menu, dialogs, the stream, and what a role for one tenant leads to. */
class ConsoleFrameTest extends OnStage {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** Streams that the test speaks for. They are in the list `made`, the newest one at its end. */
    private static final String SPOKEN = "window.made = []; window.EventSource = class extends EventTarget {"
            + " static CLOSED = 2;"
            + " constructor() { super(); this.readyState = 0; window.made.push(this); }"
            + " close() { this.readyState = 2; }"
            + " opens() { this.readyState = 1; this.dispatchEvent(new Event('open')); }"
            + " fails(state) { this.readyState = state; this.dispatchEvent(new Event('error')); }"
            + " says(type, data) { this.dispatchEvent(new MessageEvent(type, {data: JSON.stringify(data)})); } };"
            + "window.asked = []; const real = window.fetch;"
            + "window.fetch = (path, options) => { window.asked.push(path); return real(path, options); };";

    /** Nobody is signed in any more, then somebody else. */
    private static ConsoleBrowser as(String name) {
        page.go(stage.url() + "/assets/icon.svg");
        page.forget();
        return browser.signIn(name).look("light", "en");
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

    private static void awaitTrue(String what, String script) {
        Await.untilSeldom(
                what, PATIENCE, () -> Boolean.parseBoolean(page.script("return String(Boolean(" + script + "))")));
    }

    /** Opens the newest stream that the test speaks for. A page that waited too long for that has opened another one. */
    private static void openSpoken() {
        Await.untilSeldom(
                "a live stream",
                PATIENCE,
                () -> Boolean.parseBoolean(page.script("const newest = window.made.at(-1);"
                        + "if (newest.readyState === 0) { newest.opens(); }"
                        + "return String(document.querySelector('#stream').innerText.includes('live'))")));
    }

    @Test
    void aRoleForATenantOpensOnlyWhatItMayRead() {
        as("iris").view("/");
        assertThat(page.has("menu-rules")).isTrue();
        assertThat(page.has("menu-nodes")).isFalse();
        assertThat(page.has("menu-alerts")).isFalse();
        assertThat(page.has("menu-audit")).isFalse();
        assertThat(page.has("menu-people")).isFalse();
        List<String> found = new ArrayList<>();
        // A call that is refused would be an error of the browser.
        for (String path : List.of(
                "/",
                "/traffic",
                "/decisions",
                "/rules",
                "/rules/acme-api",
                "/changes",
                "/releases",
                "/shadow",
                "/explain",
                "/approvals",
                "/tokens",
                "/account",
                "/retention")) {
            browser.move(path);
            if (page.shows("#problem, #load-error")) {
                found.add(path + ": " + page.texts("#problem, #load-error"));
            }
        }
        assertThat(found).isEmpty();
        for (String path : List.of("/nodes", "/alerts", "/audit", "/people", "/editor")) {
            browser.move(path);
            page.awaitTextOf("#problem", "Your role does not allow this page");
        }
    }

    @Test
    void theMenuOfAPhoneOpensAndCloses() {
        page.size(390, 844);
        try {
            as("sam").view("/rules");
            assertThat(page.shows(".menu-open")).isFalse();
            page.click("menu-button");
            page.awaitFocus("menu-close");
            page.keys(Keys.ESCAPE);
            page.awaitHidden(".menu-open");
            page.awaitFocus("menu-button");
            page.click("menu-button");
            page.awaitFocus("menu-close");
            press("#menu-close");
            page.awaitHidden(".menu-open");
            page.awaitFocus("menu-button");
            page.click("menu-button");
            press("#menu-back");
            page.awaitHidden(".menu-open");
            // A link to the view that is open closes it too.
            page.click("menu-button");
            page.awaitShown(".menu-open");
            press("#menu-rules");
            page.awaitHidden(".menu-open");
            page.click("menu-button");
            page.awaitShown(".menu-open");
            press("#menu-changes");
            page.awaitHidden(".menu-open");
            browser.ready();
            awaitTrue("the changes", "document.querySelector('main').dataset.view === 'changes'");
        } finally {
            page.size(1440, 900);
        }
    }

    @Test
    void anAnswerThatIsAwaitedKeepsItsDialog() {
        as("lena").view("/design");
        page.script("const real = window.fetch; window.held = []; window.fetch = (path, options) =>"
                + " path !== '/api/me' ? real(path, options)"
                + " : new Promise((resolve) => window.held.push(() => resolve(real(path, options))))");
        page.clickOn("#buttons button.primary");
        page.type("dialog-reason", "a test");
        page.click("dialog-confirm");
        awaitTrue("a call", "window.held.length === 1");
        page.click("dialog-cancel");
        page.keys(Keys.ESCAPE);
        page.keys(Keys.ESCAPE);
        awaitTrue("an open dialog", "document.querySelector('dialog[open] #dialog-title') !== null");
        // Another question is not asked meanwhile.
        assertThat(page.async("const done = arguments[arguments.length - 1];"
                        + "import(location.origin + '/assets/console/dialog.js')"
                        + ".then((dialog) => dialog.ask({title: 'another', action: 'x', call: () => ({})}))"
                        + ".then((answer) => done(String(answer)), (failure) => done(String(failure)))"))
                .isEqualTo("null");
        assertThat(page.text("dialog-title")).isNotEqualTo("another");
        page.script("window.held[0]()");
        page.awaitHidden("dialog[open]");
        // The next one is not closed by an answer to the first one, and can be given up.
        page.clickOn("#buttons button.primary");
        page.await("dialog-reason");
        page.click("dialog-cancel");
        page.awaitHidden("dialog[open]");
        assertThat(page.script("return String(window.held.length)")).isEqualTo("1");
    }

    @Test
    void theFirstScreenIsAskedForAgainAfterTheSignIn() {
        page.go(stage.url() + "/assets/icon.svg");
        page.forget();
        page.go(stage.url() + "/?rule=login&last=6h");
        page.awaitPath("/sign-in");
        page.awaitFocus("user");
        page.type("user", "sam");
        page.type("password", ConsoleStage.PASSWORD);
        page.click("submit");
        page.awaitText("only-rule", "login");
        assertThat(page.url()).endsWith("/?rule=login&last=6h");
    }

    @Test
    void theStreamOfAnEndedSessionLeadsToTheSignIn() {
        as("lena").view("/rules");
        awaitTrue("a live stream", "document.querySelector('#stream').innerText.includes('live')");
        // What the view had begun to read may be refused, too.
        try (var unused = browser.expect("/api/stream|/api/\\S* .*status of 401")) {
            // The view reads nothing more, so only the stream can find out.
            String status = page.async("const done = arguments[arguments.length - 1]; const real = window.fetch;"
                    + "window.fetch = (path, options) => path === '/api/session' ? real(path, options)"
                    + " : new Promise(() => {});"
                    + "real('/api/session').then((answer) => answer.json()).then((session) => real('/api/session',"
                    + " {method: 'DELETE', headers: {'X-CSRF-Token': session.csrf}}))"
                    + ".then((answer) => done(String(answer.status)), (failure) => done(String(failure)))");
            assertThat(status).startsWith("20");
            page.awaitPath("/sign-in");
        }
        assertThat(page.url()).contains("to=%2Frules");
    }

    private static void withSpokenStream(String path, Runnable work) {
        String script = page.before(SPOKEN);
        try {
            browser.view(path);
            awaitTrue("a stream", "window.made.length >= 1");
            openSpoken();
            work.run();
        } finally {
            page.forgetBefore(script);
            page.go(stage.url() + "/assets/icon.svg");
        }
    }

    @Test
    void aSilentStreamIsOpenedAgain() {
        as("lena");
        withSpokenStream("/rules", () -> {
            // The machine slept for a minute.
            page.script("window.before = window.made.length; const real = Date.now; Date.now = () => real() + 60000;"
                    + " window.asked = []");
            awaitTrue("another stream", "window.made.length > window.before");
            assertThat(page.script("return String(window.made[0].readyState)")).isEqualTo("2");
            page.awaitText("stream", "lost");
            openSpoken();
            page.script("window.made.at(-1).says('alive', {})");
            // What happened meanwhile is read.
            awaitTrue("the rules again", "window.asked.includes('/api/rules')");
        });
    }

    @Test
    void aRefusedStreamIsTriedAgainWhileTheSessionGoesOn() {
        as("lena");
        withSpokenStream("/rules", () -> {
            page.script("window.asked = []; window.before = window.made.length; window.made.at(-1).fails(2)");
            page.awaitText("stream", "lost");
            awaitTrue("a question for the session", "window.asked.includes('/api/session')");
            awaitTrue("another stream", "window.made.length > window.before");
            page.script("window.before = window.made.length; window.made.at(-1).fails(2)");
            awaitTrue("one more", "window.made.length > window.before");
            openSpoken();
            assertThat(page.script("return String(window.made.filter((each) => each.readyState !== 2).length)"))
                    .isEqualTo("1");
            assertThat(page.url()).endsWith("/rules");
        });
    }

    @Test
    void eventsOfATabThatNobodySeesAreReadLater() {
        as("lena");
        withSpokenStream("/rules", () -> {
            page.script("window.isHidden = true;"
                    + "Object.defineProperty(document, 'hidden', {get: () => window.isHidden});"
                    + "window.asked = []; window.made.at(-1).says('releases', {rollout: 1})");
            assertThat(page.script("return String(window.asked.includes('/api/rules'))"))
                    .isEqualTo("false");
            page.script("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))");
            awaitTrue("the rules again", "window.asked.includes('/api/rules')");
        });
    }

    @Test
    void aRuleThatIsNotAmongTheBusiestIsUnknownAndNotQuiet() {
        as("sam");
        withSpokenStream("/?rule=login&last=6h", () -> {
            // Five seconds in which 50 other rules were busier, five with refusals, and a stream that is lost.
            String figures = page.async("const done = arguments[arguments.length - 1];"
                    + "const still = performance.now(); performance.now = () => still;"
                    + "const time = Date.now(); Date.now = () => time;"
                    + "const stream = window.made.at(-1);"
                    + "const others = Object.fromEntries([...Array(50).keys()].map((i) =>"
                    + " ['busy-' + i, {requests: 900, allowed: 900, refused: 0}]));"
                    + "const second = Math.floor(Date.now() / 1000) - 12;"
                    + "for (let i = 0; i < 10; i += 1) { stream.says('counts', {second: second + i,"
                    + " rules: i < 5 ? others : {login: {requests: 50, allowed: 30, refused: 20}}}); }"
                    + "const shown = () => document.querySelector('#refused-now .figure-value').innerText;"
                    + "const drawn = (next) => requestAnimationFrame(() => requestAnimationFrame(next));"
                    + "drawn(() => { const before = shown();"
                    + " performance.now = () => still + 60000; stream.fails(0);"
                    + " drawn(() => done(before + ' ' + shown())); })");
            assertThat(figures).isEqualTo("20/s 20/s");
        });
    }

    @Test
    void aViewThatTurnsToSomethingElseDropsWhatItShowed() {
        as("sam").view("/traffic?rule=search");
        page.await("sum-refused");
        // Nothing is answered any more.
        page.script("window.fetch = () => new Promise(() => {});"
                + "history.pushState(null, '', '/traffic?rule=login'); dispatchEvent(new PopStateEvent('popstate'))");
        page.awaitText("chip-rule", "login");
        browser.drawn();
        assertThat(page.has("sum-refused")).isFalse();
        assertThat(page.script("return document.querySelector('main').dataset.ready"))
                .isEqualTo("false");
    }

    @Test
    void copiedCommandsAreThoseOfWhatIsShown() {
        as("sam").view("/?last=1h");
        for (String span : List.of("5m", "15m", "6h")) {
            browser.move("/?last=" + span);
        }
        String found = page.async("const done = arguments[arguments.length - 1];"
                + "import(location.origin + '/assets/console/calls.js').then((calls) => done(calls.reads()"
                + ".filter((each) => each.startsWith('/api/top')).join(' ')), (failure) => done(String(failure)))");
        assertThat(found).isEqualTo("/api/top?last=6h&limit=10");
    }

    @Test
    void releasesAreLinkedByTheirRollout() {
        JsonNode step = stage.machine()
                .get("/api/rules/search/history")
                .expect(200)
                .get("steps")
                .get(0)
                .get("version");
        as("lena").view("/rules/search");
        page.awaitShown("#steps a[href='/releases/" + step.get("rollout").asLong() + "']");
        browser.view("/decisions?rule=search");
        page.clickOn("#decision-rows button.as-link");
        page.await("decision-release");
        long version = Long.parseLong(page.script(
                "return String(JSON.parse(" + "document.querySelector('#decision-json').innerText).rule_version)"));
        JsonNode released = stage.machine()
                .get("/api/versions?limit=1&below=" + (version + 1))
                .expect(200)
                .json()
                .get(0);
        assertThat(page.script("return document.querySelector('#decision-release').getAttribute('href')"))
                .isEqualTo("/releases/" + released.get("rollout").asLong());
    }

    private static List<String> sentences(RuleSet before, RuleSet after) {
        List<String> sentences = new ArrayList<>();
        for (RuleChange change : RuleChange.between(before, after)) {
            sentences.add(change.toString());
            change.forCounts().ifPresent(sentences::add);
        }
        return sentences;
    }

    private static RuleSet rules(String document) {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", document)).rules());
    }

    @Test
    void theChineseConsoleSaysInChineseWhatAChangeDoes() {
        RuleSet old = rules("""
                rules:
                  - { id: r1, limits: [{ id: A, by: ip, limit: 5, window: 1m }, { by: user, rate: 5/s }, { id: C,
                      algorithm: concurrency, limit: 5, ttl: 30s }] }
                  - { id: r2, resource: /a, methods: [GET], limits: [{ id: A, by: tenant, rate: 10/s, burst: 40 }, { id: B,
                      algorithm: fixed_window, limit: 100, align: month, by: tenant }, { id: D, algorithm: leaky_bucket, rate: 5/s,
                      capacity: 10, by: tenant }, { id: Q, by: { attribute: user, otherwise: ip }, limit: 3, window: 1s }] }
                  - { id: r3, mode: distributed, on_failure: open, limits: [{ rate: 3/s }] }
                  - { id: r4, protected: true, tenant: T, labels: { K: V }, message: { en: M }, limits: [{ id: A, limit: 5,
                      window: 1m }, { id: B, limit: 50, window: 1h }] }
                  - { id: r5, match: { ip: [10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5, 10.0.0.6] }, action: deny }
                  - { id: r6, limits: [{ id: A, by: user, rate: 5/s, max_wait: 1s }, { id: B, by: user, limit: 60, window: 1m }],
                      overrides: [{ when: { user: U1 }, of: B, limit: 99 }, { when: { user: U2 }, of: B, limit: 98 },
                      { when: { user: U3 }, of: B, limit: 97, until: 2027-01-01T00:00:00Z } ] }
                  - { id: r8, limits: [{ id: A, limit: 0, window: 1m }], shadow: true }
                  - { id: r9, limits: [{ id: A, limit: 7, window: 1m }], candidate: [{ id: X, limit: 6, window: 1m }] }
                """);
        RuleSet now = rules("""
                rules:
                  - { id: r0, shadow: true, enabled: false, limits: [{ rate: 3/s }] }
                  - { id: r00, action: exempt, match: { ip: 10.0.0.1 } }
                  - { id: r2, resource: /b, methods: [GET, POST], service: S, limits: [{ id: A, by: tenant, rate: 12/s, burst: 60 },
                      { id: B, algorithm: fixed_window, limit: 100, align: day, by: tenant }, { id: D, algorithm: leaky_bucket,
                      rate: 6/s, capacity: 20, by: tenant }, { id: Q, by: { attribute: user, otherwise: tenant }, limit: 3,
                      window: 1s }] }
                  - { id: r1, limits: [{ id: A, by: ip, absent: skip, limit: 6, window: 1m }, { by: user, limit: 7, window: 1m },
                      { id: C, algorithm: concurrency, limit: 9, ttl: 40s }, { id: N, by: tenant, rate: 1/s }] }
                  - { id: r3, mode: local, on_failure: closed, limits: [{ rate: 4/s }], name: Q1 }
                  - { id: r4, enabled: false, tenant: T2, labels: { K: V2 }, message: { en: M2 }, limits: [{ id: B, limit: 50,
                      window: 2h }, { id: A, limit: 6, window: 1m }] }
                  - { id: r5, match: { ip: [10.0.0.1, 10.0.0.2, 10.0.0.9] }, action: deny }
                  - { id: r6, limits: [{ id: A, by: user, rate: 5/s, max_wait: 2s }, { id: B, by: user, limit: 60, window: 1m }],
                      overrides: [{ when: { user: U2 }, of: B, limit: 88 }, { when: { user: U1 }, of: B, limit: 99 },
                      { when: { user: U3 }, of: B, limit: 97, until: 2027-02-01T00:00:00Z }, { when: { user: U4, plan: P }, of: A,
                      rate: 9/s, until: 2027-02-01T00:00:00Z } ] }
                  - { id: r8, limits: [{ id: A, limit: 7, window: 2m }] }
                  - { id: r9, limits: [{ id: A, limit: 7, window: 1m }], candidate: [{ id: X, limit: 8, window: 1m }, { id: Y,
                      limit: 8, window: 2m }] }
                """);
        List<String> sentences = new ArrayList<>(sentences(old, now));
        sentences.addAll(sentences(now, old));
        sentences.add("and 3 more changes");
        as("lena").look("light", "zh").view("/rules");
        List<String> said = page.async(
                        "const done = arguments[arguments.length - 1]; import('/assets/console/change-words.js')"
                                + ".then((words) => done(arguments[0].map(words.changeWords).join('\\n')),"
                                + " (failure) => done(String(failure)))",
                        sentences)
                .lines()
                .toList();
        assertThat(said).hasSameSizeAs(sentences).hasSizeGreaterThan(70);
        // Ids and values of the rules above have no such words.
        Pattern english = Pattern.compile(
                "\\b(?:added|removed|limits?|per|burst|capacity|once|counts?|start|fresh|override|order|changed|now"
                        + "|longer|until|for|of|the|window|with|and|match|none|any|label|message|in|methods)\\b");
        assertThat(said)
                .allSatisfy(sentence -> assertThat(english.matcher(sentence).find())
                        .as(sentence)
                        .isFalse())
                .contains("r1: 限额 A 每 1m 5 次 → 每 1m 6 次", "r6: user U2 对限额 B 的例外：每 1m 98 次 → 每 1m 88 次");
        browser.look("light", "en");
    }
}
