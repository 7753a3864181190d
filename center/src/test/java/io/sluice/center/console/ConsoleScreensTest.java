package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every view opens in both languages and themes and on a phone. Pictures of them are in target/screenshots. */
class ConsoleScreensTest {

    private static final Map<String, String> VIEWS = views();

    @TempDir
    static Path data;

    private static ConsoleStage stage;
    private static ConsoleBrowser browser;

    private static Map<String, String> views() {
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
        views.put("change", "/changes/12");
        views.put("releases", "/releases");
        views.put("release", "/releases/12");
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
    static void open() throws Exception {
        stage = ConsoleStage.open(data.resolve("center"), 0);
        browser = ConsoleBrowser.open(data, stage.url()).signIn("mara");
    }

    @AfterAll
    static void close() {
        try {
            if (browser != null) {
                browser.close();
            }
        } finally {
            if (stage != null) {
                stage.close();
            }
        }
    }

    @AfterEach
    void nothingFailed() {
        browser.requireNoErrors();
    }

    @Test
    void lightAndEnglish() {
        assertThat(pictures("light", "en", true)).isEmpty();
    }

    @Test
    void darkAndEnglish() {
        assertThat(pictures("dark", "en", true)).isEmpty();
    }

    @Test
    void lightAndChinese() {
        assertThat(pictures("light", "zh", false)).isEmpty();
    }

    @Test
    void darkAndChinese() {
        assertThat(pictures("dark", "zh", false)).isEmpty();
    }

    @Test
    void onAPhone() {
        browser.page().size(390, 844);
        try {
            List<String> found = new ArrayList<>();
            browser.look("light", "en").view("/");
            VIEWS.forEach((name, path) -> {
                browser.move(path).picture(name + "-phone");
                if (browser.overflow() > 0) {
                    found.add(name + ": " + browser.overflow() + " pixels wider than the phone");
                }
            });
            assertThat(found).isEmpty();
        } finally {
            browser.page().size(1440, 900);
        }
    }

    private static List<String> pictures(String theme, String language, boolean isChecked) {
        List<String> found = new ArrayList<>();
        browser.look(theme, language).view("/");
        VIEWS.forEach((name, path) -> {
            browser.move(path).picture(name + "-" + language + "-" + theme);
            if (browser.page().shows("#problem, #load-error")) {
                found.add(name + ": " + browser.page().texts("#problem, #load-error"));
            }
            if (isChecked) {
                browser.barriers().forEach(each -> found.add(name + ": " + each));
            }
        });
        return found;
    }
}
