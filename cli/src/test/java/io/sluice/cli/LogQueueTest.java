package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LogQueueTest {

    private static final String MISSING = "         WARN  %s dropped from the log because the output could not keep up";

    private final LoggerContext context = new LoggerContext();
    private final Sink sink = new Sink();
    private final LogQueue queue = queue(Duration.ofMinutes(4));

    @Test
    void aCallerNeverWaitsAndDroppedLinesAreCountedAndReported() throws Exception {
        stickWithOneLine();
        log(LogQueue.SIZE + 100);
        assertThat(queue.dropped()).isEqualTo(100);

        sink.open.countDown();
        queue.stop();
        assertThat(sink.lines())
                .hasSize(1 + LogQueue.SIZE + 1)
                .contains("first", MISSING.formatted("100 lines"))
                .endsWith("line " + (LogQueue.SIZE - 1));
        assertThat(queue.dropped()).isEqualTo(100);
    }

    @Test
    void everyDroppedLineIsCountedWhileManyThreadsLog() throws Exception {
        stickWithOneLine();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(new Thread(() -> log(LogQueue.SIZE)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(queue.dropped()).isEqualTo(7 * LogQueue.SIZE);
    }

    @Test
    void aLineThatTheSinkRefusesIsDroppedAndTheLogGoesOn() {
        sink.open.countDown();
        sink.failures.set(2);
        queue.start();
        log(5);
        queue.stop();

        assertThat(queue.dropped()).isEqualTo(2);
        assertThat(sink.lines()).containsExactly("line 2", MISSING.formatted("2 lines"), "line 3", "line 4");
    }

    @Test
    void aStuckSinkDoesNotDelayTheEnd() throws Exception {
        LogQueue hasty = queue(Duration.ofMillis(1));
        hasty.start();
        hasty.doAppend(event("first"));
        sink.reached.await();

        hasty.stop();
        assertThat(sink.lines()).isEmpty();
        sink.open.countDown();
    }

    @Test
    void aLineIsFormattedWhenItIsLogged() throws Exception {
        stickWithOneLine();
        StringBuilder changing = new StringBuilder("before");
        queue.doAppend(new LoggingEvent("x", context.getLogger("x"), Level.WARN, "{}", null, new Object[] {changing}));
        changing.append(" and after");
        sink.open.countDown();
        queue.stop();

        assertThat(sink.lines()).containsExactly("first", "before");
    }

    /** Blocks the sink with one line, so that the next lines stay in the queue until the sink is open. */
    private void stickWithOneLine() throws InterruptedException {
        queue.start();
        queue.doAppend(event("first"));
        sink.reached.await();
    }

    private void log(int lines) {
        for (int i = 0; i < lines; i++) {
            queue.doAppend(event("line " + i));
        }
    }

    private LogQueue queue(Duration lastLinesMayTake) {
        LogQueue made = new LogQueue(sink, LogForm.TEXT, lastLinesMayTake);
        made.setContext(context);
        return made;
    }

    private LoggingEvent event(String message) {
        return new LoggingEvent("x", context.getLogger("io.sluice.test"), Level.WARN, message, null, null);
    }

    /** Accepts nothing before it is open, and fails as often as configured. */
    private static final class Sink extends OutputStream {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch open = new CountDownLatch(1);
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final AtomicInteger failures = new AtomicInteger();

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            reached.countDown();
            // Like a write to a file, it does not end when its thread is interrupted.
            boolean interrupted = false;
            while (open.getCount() > 0) {
                try {
                    open.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failures.getAndDecrement() > 0) {
                throw new IOException("no space left on device");
            }
            taken.write(bytes, from, length);
        }

        private List<String> lines() {
            return taken.toString(StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.replaceFirst("^\\d\\d:\\d\\d:\\d\\d WARN  ", ""))
                    .toList();
        }
    }
}
