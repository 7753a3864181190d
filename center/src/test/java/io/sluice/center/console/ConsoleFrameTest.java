package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Chromium;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What all views have in common: the menu, dialogs, the stream, and what a role for one tenant leads to. */
class ConsoleFrameTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    static Path data;

    private static ConsoleStage stage;
    private static ConsoleBrowser browser;

    @BeforeAll
    static void open() throws Exception {
        stage = ConsoleStage.open(data.resolve("center"), 0);
        browser = ConsoleBrowser.open(data, stage.url());
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

    private static Chromium page() {
        return browser.page();
    }

    /** Nobody is signed in any more, then somebody else. */
    private static ConsoleBrowser as(String name) {
        page().go(stage.url() + "/assets/icon.svg");
        page().forget();
        return browser.signIn(name).look("light", "en");
    }

    private static void awaitTrue(String what, String script) {
        Await.until(what, PATIENCE, () -> Boolean.parseBoolean(page().script("return String(Boolean(" + script + "))")));
    }

    @Test
    void aRoleForATenantOpensOnlyWhatItMayRead() {
        as("iris").view("/");
        assertThat(page().has("menu-rules")).isTrue();
        assertThat(page().has("menu-nodes")).isFalse();
        assertThat(page().has("menu-alerts")).isFalse();
        assertThat(page().has("menu-audit")).isFalse();
        assertThat(page().has("menu-people")).isFalse();
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
            if (page().shows("#problem, #load-error")) {
                found.add(path + ": " + page().texts("#problem, #load-error"));
            }
        }
        assertThat(found).isEmpty();
        for (String path : List.of("/nodes", "/alerts", "/audit", "/people", "/editor")) {
            browser.move(path);
            page().awaitTextOf("#problem", "Your role does not allow this page");
        }
    }
}
