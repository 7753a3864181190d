package io.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.AsyncAppenderBase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * Logback's asynchronous appender, set so that a caller never waits for the sink. A line that does not fit, because nobody reads the pipe
 * or the disk is full, is dropped and counted, and the log says how many are missing when it goes on. At least {@value #SIZE} lines wait,
 * and at most twice as many: Logback's thread takes all that wait at once and writes them one by one. Safe for use by many threads.
 */
final class LogQueue extends AsyncAppenderBase<ILoggingEvent> {

    static final int SIZE = 1_024;

    private final LongAdder dropped = new LongAdder();
    private final Writer writer;
    private volatile LogForm form;

    /** @param lastLinesMayTake how long {@link #stop} waits for the lines that are not written yet */
    LogQueue(OutputStream sink, LogForm form, Duration lastLinesMayTake) {
        this.writer = new Writer(sink);
        this.form = form;
        setName("sluice-log");
        setQueueSize(SIZE);
        setNeverBlock(true);
        // Logback asks isDiscardable while fewer places than this are free, so exactly when there is none.
        setDiscardingThreshold(1);
        setMaxFlushTime(Math.toIntExact(lastLinesMayTake.toMillis()));
    }

    /** Lines look like this from now on. */
    void become(LogForm other) {
        form = other;
    }

    long dropped() {
        return dropped.sum();
    }

    /** Adds the writer only here: without a context Logback would complain on the standard output. */
    @Override
    public void start() {
        writer.setContext(getContext());
        writer.start();
        addAppender(writer);
        super.start();
    }

    /**
     * Queues the finished line and not the event, whose arguments and exception may be large. The lock makes the count exact: without it, two
     * threads could both see the last free place, and Logback would drop one of their lines without a word.
     */
    @Override
    protected void append(ILoggingEvent event) {
        LoggingEvent line = new LoggingEvent();
        line.setMessage(form.line(event) + "\n");
        synchronized (this) {
            super.append(line);
        }
    }

    @Override
    protected boolean isDiscardable(ILoggingEvent line) {
        dropped.increment();
        return true;
    }

    /**
     * Writes line after line, for the thread of the queue alone. Logback's own appenders do not fit: the one for streams stops for good
     * at the first failure, and the one for the console never learns of any.
     */
    private final class Writer extends AppenderBase<ILoggingEvent> {

        private final OutputStream sink;
        private long told;

        Writer(OutputStream sink) {
            this.sink = sink;
        }

        @Override
        protected void append(ILoggingEvent line) {
            try {
                write(line.getMessage());
                long gone = dropped.sum();
                if (gone > told) {
                    write(form.dropped(gone - told));
                    told = gone;
                }
            } catch (IOException e) {
                dropped.increment();
            }
        }

        private void write(String text) throws IOException {
            sink.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
