package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every view opens, in the long form in both languages and themes and on a phone. Pictures of some views, in the long form of all, are in
 * target/screenshots.
 */
class ConsoleScreensTest extends OnStage {

    /** What a view shows instead of the thing of its address, or instead of data. */
    private static final String PROBLEMS = "#problem, #load-error, #unknown, #missing";

    private static Map<String, String> views = Map.of();

    /** Returns the addresses of all views. Changes and releases are those of the stage. */
    private static Map<String, String> addresses() {
        long change = stage.machine()
                .get("/api/changes?state=open")
                .expect(200)
                .json()
                .get(0)
                .get("id")
                .asLong();
        Map<String, String> views = new LinkedHashMap<>();
        views.put("now", "/");
        views.put("traffic", "/traffic");
        views.put("caller", "/callers/" + ShopCallers.overridden());
        views.put("decisions", "/decisions");
        views.put("alerts", "/alerts");
        views.put("nodes", "/nodes");
        views.put("rules", "/rules");
        views.put("rule", "/rules/search");
        views.put("editor", "/editor?rule=search");
        views.put("changes", "/changes");
        views.put("change", "/changes/" + change);
        views.put("releases", "/releases");
        views.put("release", "/releases/" + stage.trialRollout());
        views.put("shadow", "/shadow");
        views.put("explain", "/explain");
        views.put("audit", "/audit");
        views.put("approvals", "/approvals");
        views.put("people", "/people");
        views.put("tokens", "/tokens");
        views.put("account", "/account");
        views.put("retention", "/retention");
        views.put("design", "/design");
        return views;
    }

    @BeforeAll
    static void open() {
        views = addresses();
        browser.signIn("mara");
    }

    @Test
    void lightAndEnglish() {
        assertThat(pictures("light", "en", true)).isEmpty();
    }

    @Test
    @Tag("long")
    void darkAndEnglish() {
        assertThat(pictures("dark", "en", true)).isEmpty();
    }

    @Test
    @Tag("long")
    void lightAndChinese() {
        assertThat(pictures("light", "zh", false)).isEmpty();
    }

    @Test
    @Tag("long")
    void darkAndChinese() {
        assertThat(pictures("dark", "zh", false)).isEmpty();
    }

    @Test
    @Tag("long")
    void onAPhone() {
        browser.page().size(390, 844);
        try {
            List<String> found = new ArrayList<>();
            browser.look("light", "en").view("/");
            views.forEach((name, path) -> {
                browser.move(path).picture(name + "-phone");
                shown(name, found);
                if (browser.overflow() > 0) {
                    found.add(name + ": " + browser.overflow() + " pixels wider than the phone");
                }
            });
            assertThat(found).isEmpty();
        } finally {
            browser.page().size(1440, 900);
        }
    }

    @Test
    void whatOpensAboveAViewHasNoBarriers() {
        whatOpensHasNoBarriers("light");
    }

    @Test
    @Tag("long")
    void whatOpensAboveADarkViewHasNoBarriers() {
        whatOpensHasNoBarriers("dark");
    }

    private static void whatOpensHasNoBarriers(String theme) {
        List<String> found = new ArrayList<>();
        browser.look(theme, "en");
        Map<String, Runnable> openings = new LinkedHashMap<>();
        openings.put("a drawer", ConsoleScreensTest::openDrawer);
        openings.put("the search", ConsoleScreensTest::openSearch);
        openings.put("a dialog", ConsoleScreensTest::openDialog);
        openings.put("the keys", ConsoleScreensTest::openKeys);
        openings.put("the menu of a phone", ConsoleScreensTest::openPhoneMenu);
        try {
            for (String name : SeededRandom.sample(List.copyOf(openings.keySet()), 2)) {
                openings.get(name).run();
                browser.drawn().barriers().forEach(each -> found.add(name + ": " + each));
            }
        } finally {
            browser.page().size(1440, 900);
        }
        assertThat(found).isEmpty();
    }

    private static void openDrawer() {
        browser.view("/");
        browser.page().clickOn("#caller-table tbody a[data-hash]");
        browser.page().awaitShown("#caller-limits, #caller-refusals");
    }

    private static void openSearch() {
        browser.view("/rules/search");
        browser.page().clickOn("#open-search");
        browser.page().type("search", "pay");
        browser.page().awaitTextOf("#search-results", "payments");
    }

    private static void openDialog() {
        browser.view("/rules/search");
        browser.page().clickOn("#switch");
        browser.page().awaitShown("#dialog-reason");
    }

    private static void openKeys() {
        browser.view("/rules/search");
        browser.page().clickOn("#help");
        browser.page().awaitShown("#keys");
    }

    private static void openPhoneMenu() {
        browser.page().size(390, 844);
        browser.view("/rules");
        browser.page().clickOn("#menu-button");
        browser.page().awaitShown("#menu-rules");
    }

    /** Notes that a view does not show what it should. */
    private static void shown(String name, List<String> found) {
        if (browser.page().shows(PROBLEMS)) {
            found.add(name + ": " + browser.page().texts(PROBLEMS));
        }
    }

    private static List<String> pictures(String theme, String language, boolean isChecked) {
        List<String> found = new ArrayList<>();
        // A picture and a search for barriers take much longer than opening a view.
        List<String> sampled = SeededRandom.sample(List.copyOf(views.keySet()), 2);
        browser.look(theme, language).view("/");
        views.forEach((name, path) -> {
            browser.move(path);
            shown(name, found);
            if (sampled.contains(name)) {
                browser.picture(name + "-" + language + "-" + theme);
                if (isChecked) {
                    browser.barriers().forEach(each -> found.add(name + ": " + each));
                }
            }
        });
        return found;
    }
}
