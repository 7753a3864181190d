package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The dry run of the editor, in a real browser. */
class DryRunViewTest extends OnStage {

    @AfterEach
    void restore() {
        stage.record(true);
        String unused = page.script("sessionStorage.clear()");
    }

    @Test
    void saysWhatTheTextWouldHaveRefused() {
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
        assertThat(browser.barriers()).isEmpty();
        ask("none of");
        page.awaitHidden("#dry-run-callers");
        limit("many");
        page.awaitText("check-state", "1 error");
        assertThat(disabled()).isEqualTo("true");
    }

    @Test
    void saysItInChinese() {
        browser.signIn("wei").look("dark", "zh").view("/editor?rule=search");
        page.awaitText("check-state", "没有错误");
        limit("30");
        ask("最近一小时的");
        assertThat(page.text("dry-run-sentence")).containsPattern("有 [0-9,]+ 个原本放行的请求会被拒绝，来自 [0-9]+ 个调用方。");
        assertThat(browser.barriers()).isEmpty();
        assertThat(page.text("dry-run-notes")).doesNotContainPattern("[A-Za-z]{4,}");
    }

    @Test
    void withoutRecordingsItSaysHowToRecord() {
        stage.record(false);
        browser.signIn("wei").look("light", "en").view("/editor");
        page.awaitShown("#dry-run-ask[aria-disabled=false]");
        page.click("dry-run-ask");
        page.awaitTextOf("#dry-run .nothing", "No node records its requests");
        assertThat(page.texts("#dry-run .command code")).containsExactly("./sluice node --record recording");
    }

    /** Asks until at least one node answers. On a busy machine, they may all be silent. */
    private static void ask(String part) {
        Await.until("a sentence with " + part, Duration.ofMinutes(5), () -> {
            if (page.has("dry-run-sentence")
                    && !page.has("dry-run-error")
                    && page.text("dry-run-sentence").contains(part)
                    && page.has("dry-run-rules")) {
                return true;
            }
            if (disabled().equals("false")) {
                page.click("dry-run-ask");
            }
            return false;
        });
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
