package io.sluice.center.console;

import io.sluice.center.Chromium;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the console in a browser, each class over a stage of its own. An error that the browser tells fails the test. */
abstract class OnStage {

    @TempDir
    static Path data;

    static ConsoleStage stage;
    static ConsoleBrowser browser;
    static Chromium page;

    @BeforeAll
    static void openStage() throws Exception {
        stage = ConsoleStage.open(data.resolve("center"), 0);
        browser = ConsoleBrowser.open(data, stage.url());
        page = browser.page();
    }

    @AfterAll
    static void closeStage() {
        try {
            if (browser != null) {
                browser.close();
            }
        } finally {
            if (stage != null) {
                stage.close();
            }
            browser = null;
            stage = null;
        }
    }

    @AfterEach
    void nothingFailed() {
        browser.requireNoErrors();
    }
}
