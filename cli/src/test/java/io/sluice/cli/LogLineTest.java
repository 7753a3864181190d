package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LogLineTest {

    private final LoggerContext context = new LoggerContext();

    @Test
    void anEventIsOneLineThatMovesNoCursorWhateverItContains() {
        String nasty = "user a\r\nFAKE line \u001b[2Jx\u0085y\u2028z\u202eq \"quoted\" \\ \u0000";
        LoggingEvent event =
                event(nasty, new IllegalStateException("boom\n\tat fake", new RuntimeException("deep\u001b")));

        for (LogForm form : LogForm.values()) {
            String line = form.line(event);
            assertThat(line.chars()).noneMatch(c -> c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x202e);
            assertThat(line).contains("IllegalStateException", "deep", "FAKE");
        }
        assertThat(LogForm.JSON.line(event)).contains("\\\"quoted\\\"", "\"level\":\"warn\"", "\"error\":\"");
    }

    @Test
    void passwordsInAddressesAreHidden() {
        LoggingEvent event = event("redis at rediss://user:s3cret@db:6379/0 and redis://:s3cret@x", null);

        for (LogForm form : LogForm.values()) {
            assertThat(form.line(event)).doesNotContain("s3cret").contains("//***@db:6379");
        }
    }

    @Test
    void queriesAndFragmentsOfRedisUrisAreHidden() {
        LoggingEvent event = event(
                "redis-cluster://h1,h2?password=s3cret and \"rediss://db/0#s3cret\" and redis://:s3/cret@x, http://a?b",
                null);

        for (LogForm form : LogForm.values()) {
            assertThat(form.line(event))
                    .doesNotContain("s3cret", "cret@")
                    .contains("redis-cluster://h1,h2?*** and", "rediss://db/0#***", "http://a?b");
        }
    }

    @Test
    void aLongMessageIsCut() {
        assertThat(LogForm.TEXT.line(event("x".repeat(1_000_000), null)))
                .hasSizeLessThan(5_000)
                .endsWith("…");
    }

    private LoggingEvent event(String message, Throwable thrown) {
        return new LoggingEvent("x", context.getLogger("io.sluice.test"), Level.WARN, message, thrown, null);
    }
}
