package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LogLineTest {

    private final LoggerContext context = new LoggerContext();

    @Test
    void whateverIsInItAnEventIsOneLineThatMovesNoCursor() {
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
    void aLongMessageIsCut() {
        assertThat(LogForm.TEXT.line(event("x".repeat(1_000_000), null)))
                .hasSizeLessThan(5_000)
                .endsWith("…");
    }

    @Test
    void whoLogsNeverWaitsAndWhatIsDroppedIsCountedAndTold() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        PipedInputStream end = new PipedInputStream(1 << 20);
        PipedOutputStream pipe = new PipedOutputStream(end);
        LogQueue queue = new LogQueue(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        write(new byte[] {(byte) b}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int off, int length) throws IOException {
                        try {
                            open.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                        pipe.write(bytes, off, length);
                    }
                },
                LogForm.TEXT);
        queue.start();
        for (int i = 0; i < LogQueue.MOST + 100; i++) {
            queue.doAppend(event("line " + i, null));
        }
        assertThat(queue.dropped()).isBetween(99L, 100L);

        open.countDown();
        queue.drain(Duration.ofSeconds(60));
        String written = new String(end.readNBytes(end.available()), StandardCharsets.UTF_8);
        assertThat(written).contains("line 0\n", "line 1000\n", " lines of the log dropped");
    }

    private LoggingEvent event(String message, Throwable thrown) {
        return new LoggingEvent("x", context.getLogger("io.sluice.test"), Level.WARN, message, thrown, null);
    }
}
