package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.testkit.Await;
import io.sluice.testkit.SeededRandom;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.virtualauthenticator.VirtualAuthenticator;

/** People use the pages in a real browser, with the passkeys of a virtual device. */
class PagesInBrowserTest {

    private static final String PASSWORD = "correct horse battery";
    private static final String OTHER = "another long password";

    @TempDir
    static Path data;

    private static Center center;
    private static Chromium browser;

    private VirtualAuthenticator device;

    @BeforeAll
    static void open() throws Exception {
        center = StagedCenter.open(PreparedCenter.in(data.resolve("center")));
        browser = Chromium.open(data);
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
        center.close();
    }

    @BeforeEach
    void aNewPerson() {
        browser.go(center.publicUrl() + "/assets/icon.svg");
        browser.forget();
        device = browser.addDevice();
        var unused = browser.errors();
    }

    @AfterEach
    void thePolicyForbadeNothing() {
        browser.removeDevice(device);
        assertThat(browser.errors()).isEmpty();
    }

    @Test
    void fromTheLinkToASignInWithAPasskey() {
        browser.go(center.setUpLink().orElseThrow());
        browser.awaitFocus("user");
        browser.type("user", "admin");
        browser.type("password", PASSWORD);
        browser.type("again", PASSWORD + "!");
        browser.click("submit");
        browser.awaitText("error", "different");
        browser.type("again", PASSWORD);
        browser.click("submit");
        browser.await("later");
        assertThat(browser.url()).doesNotContain("#");
        browser.click("add");
        awaitHome("admin");
        assertThat(device.getCredentials()).hasSize(1);
        signOut();
        browser.click("passkey");
        awaitHome("admin");
        browser.click("menu-account");
        browser.awaitText("who", "admin");
        browser.await("add");
        Await.untilSeldom("the passkeys are shown", Duration.ofMinutes(5), () -> browser.script(
                        "return document.querySelectorAll('[id^=remove-]').length")
                .equals("1"));
        assertThat(browser.script("return document.body.innerText")).contains("last used");
    }

    @Test
    void aLinkThatWasUsedSaysWhatToDo() {
        browser.go(center.publicUrl() + "/set-up#not-a-link");
        browser.awaitText("error", "Ask an administrator for a new one");
        expectStatus(404);
        browser.go(center.publicUrl() + "/set-up");
        browser.awaitText("error", "whole link");
    }

    @Test
    void aWrongPasswordShowsAMessageAndKeepsTheName() {
        account("wendy");
        browser.go(center.publicUrl() + "/sign-in");
        browser.awaitFocus("user");
        browser.type("user", "wendy");
        browser.type("password", "not my password");
        browser.click("submit");
        browser.awaitText("error", "name or the password is wrong");
        browser.awaitFocus("password");
        assertThat(browser.script("return document.getElementById('user').value"))
                .isEqualTo("wendy");
        assertThat(browser.script("return document.getElementById('password').value"))
                .isEmpty();
        assertThat(browser.script("return document.getElementById('error').getAttribute('role')"))
                .isEqualTo("alert");
        expectStatus(401);
        browser.type("password", PASSWORD);
        browser.click("submit");
        awaitHome("wendy");
    }

    @Test
    void tooManyAttemptsAreToldToWait() {
        account("tess");
        browser.go(center.publicUrl() + "/sign-in");
        browser.awaitFocus("user");
        browser.type("user", "tess");
        for (int i = 0; i < 30 && !browser.text("error").contains("Too many attempts"); i++) {
            browser.type("password", "wrong " + i);
            browser.click("submit");
            browser.awaitFocus("password");
            browser.awaitText("submit", "Sign in");
        }
        assertThat(browser.text("error")).contains("Too many attempts");
        var expected = browser.errors();
        assertThat(expected).allMatch(error -> error.contains("status of 401") || error.contains("status of 429"));
    }

    @Test
    void thePagesWorkWithTheKeyboardAlone() {
        account("kay");
        browser.go(center.publicUrl() + "/");
        browser.awaitPath("/sign-in");
        browser.awaitFocus("user");
        browser.keys("kay", Keys.TAB);
        browser.awaitFocus("password");
        browser.keys(PASSWORD, Keys.ENTER);
        awaitHome("kay");
        browser.go(center.publicUrl() + "/");
        awaitHome("kay");
    }

    @Test
    void everyFieldAndButtonHasAName() {
        signIn(account("nora"));
        for (String page : List.of("/account", "/step-up")) {
            browser.go(center.publicUrl() + page);
            browser.await(page.equals("/account") ? "add" : "password");
            assertThat(browser.script("return [...document.querySelectorAll('input:not([aria-hidden])')]"
                            + ".filter(each => !each.labels.length).length"))
                    .isEqualTo("0");
            assertThat(browser.script("return [...document.querySelectorAll('button, a')]"
                            + ".filter(each => !each.innerText.trim() && !each.ariaLabel).length"))
                    .isEqualTo("0");
            assertThat(browser.script("return document.querySelectorAll('h1').length"))
                    .isEqualTo("1");
        }
    }

    @Test
    void aPasskeyIsAddedAndRemovedAndThenRefused() {
        signIn(account("remy"));
        browser.go(center.publicUrl() + "/account");
        browser.type("label", "Blue key");
        browser.click("add");
        browser.awaitText("news", "Blue key");
        long id = Long.parseLong(browser.script("return document.querySelector('[id^=remove-]').id.slice(7)"));
        browser.click("remove-" + id);
        browser.awaitFocus("remove-yes-" + id);
        browser.click("remove-yes-" + id);
        browser.awaitText("news", "was removed");
        assertThat(browser.has("remove-" + id)).isFalse();
        signOut();
        browser.click("passkey");
        browser.awaitText("error", "does not accept this passkey");
        expectStatus(401);
    }

    @Test
    void addingAPasskeyTwiceOnOneDeviceIsExplained() {
        signIn(account("dora"));
        browser.go(center.publicUrl() + "/account");
        browser.click("add");
        browser.awaitText("news", "was added");
        browser.click("add");
        browser.awaitText("error", "has a passkey of your account already");
    }

    @Test
    void aDeviceWithoutAPasskeySaysWhatToDo() {
        browser.removeDevice(device);
        device = browser.addDevice();
        browser.go(center.publicUrl() + "/sign-in");
        browser.awaitFocus("user");
        // What a browser does after somebody closes its dialog.
        browser.script("navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))");
        browser.click("passkey");
        browser.awaitText("error", "sign in with your password and add one");
    }

    @Test
    void steppingUpWithAPasswordComesBack() {
        Account account = account("stella");
        signIn(account);
        browser.go(center.publicUrl() + "/account");
        browser.await("add");
        age(account);
        browser.click("add");
        browser.awaitPath("/step-up");
        expectStatus(403);
        browser.awaitFocus("password");
        browser.keys("wrong", Keys.ENTER);
        browser.awaitText("error", "password is wrong");
        expectStatus(401);
        browser.type("password", PASSWORD);
        browser.click("submit");
        browser.awaitPath("/account");
        browser.click("add");
        browser.awaitText("news", "was added");
    }

    @Test
    void steppingUpWithAPasskeyComesBack() {
        Account account = account("pat");
        signIn(account);
        browser.go(center.publicUrl() + "/account");
        browser.click("add");
        browser.awaitText("news", "was added");
        age(account);
        browser.go(center.publicUrl() + "/step-up?to=/account%3Fback");
        browser.awaitFocus("password");
        browser.click("passkey");
        browser.awaitPath("/account");
        assertThat(browser.url()).endsWith("/account?back");
        browser.await("sign-out");
        browser.type("label", "second");
        browser.click("add");
        browser.awaitText("error", "already");
    }

    @Test
    void aPasswordIsChanged() {
        signIn(account("carl"));
        browser.go(center.publicUrl() + "/account");
        browser.type("password", "short");
        browser.type("again", "short");
        browser.click("change");
        browser.awaitText("error", "too short");
        browser.type("password", OTHER);
        browser.type("again", OTHER);
        browser.click("change");
        browser.awaitText("news", "was changed");
        signOut();
        browser.type("user", "carl");
        browser.type("password", OTHER);
        browser.click("submit");
        awaitHome("carl");
    }

    @Test
    void theWayBackNeverLeadsToAnotherSite() {
        signIn(account("olga"));
        List<String> places = List.of(
                "https://evil.example/",
                "//evil.example",
                "/\\evil.example",
                "\\\\evil.example",
                "/\t/evil.example",
                "/.//evil.example",
                "/..//evil.example",
                "javascript:document.title='evil'",
                "/@evil.example",
                "http://localhost:1/",
                "localhost");
        for (String to : SeededRandom.sample(places, 5)) {
            browser.go(center.publicUrl() + "/sign-in?to=" + URLEncoder.encode(to, StandardCharsets.UTF_8));
            Await.untilSeldom(to, Duration.ofMinutes(5), () -> !browser.url().contains("/sign-in"));
            URI now = URI.create(browser.url());
            assertThat(now.getAuthority()).as(to).isEqualTo(center.publicUrl().getAuthority());
            assertThat(now.getScheme()).as(to).isEqualTo("http");
        }
        // Some of them are unknown paths here.
        assertThat(browser.errors()).allMatch(error -> error.contains("Failed to load resource"));
    }

    @Test
    void thereIsAButtonForEachIdentityServerAndItsFailuresAreExplained() {
        String script = browser.before("const real = window.fetch; window.fetch = async (path, options) => {"
                + " const answer = await real(path, options);"
                + " if (path !== '/api/session') return answer;"
                + " const now = await answer.json();"
                + " now.ways.servers = [{name: 'corp', title: 'Corp', url: '/sign-in/oidc/corp'}];"
                + " return new Response(JSON.stringify(now)); };");
        try {
            browser.go(center.publicUrl() + "/sign-in?problem=no_role&to=/account%3Fx");
            browser.awaitText("error", "You have no role here");
            assertThat(browser.script("return document.querySelector('.ways a').innerText"))
                    .isEqualTo("Continue with Corp");
            assertThat(browser.script("return document.querySelector('.ways a').getAttribute('href')"))
                    .isEqualTo("/sign-in/oidc/corp?to=%2Faccount%3Fx");
            browser.go(center.publicUrl() + "/sign-in?problem=constructor");
            browser.awaitText("error", "did not confirm");
            signIn(account("frida"));
            browser.go(center.publicUrl() + "/sign-in?problem=not_fresh");
            browser.awaitPath("/step-up");
            browser.awaitText("error", "older sign-in");
        } finally {
            browser.forgetBefore(script);
        }
    }

    @Test
    void somebodyWhoIsNotSignedInIsLedToTheSignInAndBack() {
        account("sam");
        browser.go(center.publicUrl() + "/step-up?to=/account%3Fx=1");
        browser.awaitPath("/sign-in");
        browser.awaitFocus("user");
        browser.keys("sam", Keys.TAB);
        browser.keys(PASSWORD, Keys.ENTER);
        browser.awaitPath("/account");
        assertThat(browser.url()).endsWith("/account?x=1");
    }

    @Test
    void aNumericAddressLeadsToTheNameThatPasskeysNeed() {
        String numeric = center.publicUrl().toString().replace("localhost", "127.0.0.1");
        browser.go(numeric + "/sign-in");
        browser.awaitText("obstacle", "Passkeys do not work at a numeric address");
        assertThat(browser.text("obstacle")).contains(center.publicUrl() + "/sign-in");
        assertThat(browser.has("passkey")).isFalse();
    }

    @Test
    void thePagesSpeakTheLanguageOfTheBrowserUntilSomebodyChoosesAnother() {
        try {
            browser.language("zh-CN,zh");
            browser.go(center.publicUrl() + "/sign-in");
            browser.awaitText("title", "登录");
            assertThat(browser.script("return document.documentElement.lang")).isEqualTo("zh-CN");
            browser.click("language");
            browser.awaitText("title", "Sign in");
            browser.go(center.publicUrl() + "/sign-in");
            browser.awaitText("title", "Sign in");
        } finally {
            browser.language("en-US,en");
        }
    }

    @Test
    void everybodySeesWhatIsKeptAndForHowLong() {
        signIn(account("rita"));
        browser.go(center.publicUrl() + "/account");
        browser.click("to-retention");
        browser.awaitPath("/retention");
        browser.awaitText("kind-audit", "2 years");
        assertThat(browser.text("kind-adjustments")).contains("90 days after they end", "can name a person");
        assertThat(browser.text("kind-node_witness")).doesNotContain("can name a person");
        assertThat(browser.script("return document.querySelectorAll('section').length"))
                .isEqualTo("4");
        browser.click("personal-only");
        Await.untilSeldom("other data is hidden", Duration.ofMinutes(5), () -> !browser.has("kind-node_witness"));
        assertThat(browser.has("kind-audit")).isTrue();
        browser.click("language");
        browser.awaitText("kind-audit", "2 年");
        assertThat(browser.text("kind-sessions")).contains("最长 12 小时，闲置 2 小时后结束");
        assertThat(browser.text("kind-backups")).contains("最近 14 个");
        assertThat(browser.script("return document.querySelector('main').innerText.match(/[a-z]{4,} [a-z]{2,}/g)"))
                .isEqualTo("null");
    }

    @Test
    void somebodyWhoIsNotSignedInSeesNothingOfWhatIsKept() {
        account("tim");
        browser.go(center.publicUrl() + "/retention");
        browser.awaitPath("/sign-in");
        browser.awaitFocus("user");
        expectStatus(401);
        browser.keys("tim", Keys.TAB);
        browser.keys(PASSWORD, Keys.ENTER);
        browser.awaitPath("/retention");
        browser.awaitText("kind-audit", "2 years");
    }

    @Test
    void bothLanguagesSayTheSameThings() {
        browser.go(center.publicUrl() + "/sign-in");
        browser.await("title");
        String source = new PageClient(center).get("/assets/texts.js").text();
        List<String> english = names(source.substring(source.indexOf("const en"), source.indexOf("const zh")));
        List<String> chinese = names(source.substring(source.indexOf("const zh"), source.indexOf("const texts")));
        assertThat(chinese).isEqualTo(english).hasSizeGreaterThan(60);
    }

    private static List<String> names(String texts) {
        return java.util.regex.Pattern.compile("(?m)^  (\\w+):")
                .matcher(texts)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** Signs out, and waits until the page of the sign-in can be used. */
    private static void signOut() {
        assertThat(browser.errors()).isEmpty();
        browser.click("sign-out");
        browser.awaitPath("/sign-in");
        browser.awaitFocus("user");
        // The console reads on until it is left, and may be refused.
        assertThat(browser.errors()).allMatch(error -> error.contains("status of 401"));
    }

    /** Waits for the first page of the console, with somebody signed in. */
    private static void awaitHome(String user) {
        browser.awaitPath(center.publicUrl() + "/");
        browser.awaitText("menu-account", user);
    }

    /** The browser logs each answer that is an error. */
    private static void expectStatus(int status) {
        assertThat(browser.errors()).hasSize(1).allMatch(error -> error.contains("status of " + status));
    }

    private static Account account(String name) {
        Account account = ApiClient.account(center, name, Grant.of(Role.VIEWER));
        String hash = center.passwords().hash(PASSWORD);
        return center.people()
                .database()
                .write(client -> center.people().accounts().replace(client, account.withPassword(hash)));
    }

    private static void signIn(Account account) {
        browser.cookie(
                "sluice_session", new PageClient(center).signIn(center, account).session());
    }

    /** Makes the factors of an account's sessions old. */
    private static void age(Account account) {
        center.people().database().write(client -> client.sql("UPDATE session SET factors = ? WHERE account = ?")
                .params("FACTOR_PASSWORD@1000", account.id())
                .update());
    }
}
