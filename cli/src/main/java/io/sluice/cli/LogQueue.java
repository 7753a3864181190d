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
 * Logback's asynchronous appender, configured so that a caller never waits for the sink. If the queue is full, because the pipe
 * has no reader or the disk is full, the line is dropped and counted, and the log reports the count as soon as it can write
 * again. The queue holds at least {@value #SIZE} lines and at most twice as many, because Logback's thread takes all queued
 * lines together and writes them one by one. Thread-safe.
 */
final class LogQueue extends AsyncAppenderBase<ILoggingEvent> {

    static final int SIZE = 1_024;

    private final LongAdder dropped = new LongAdder();
    private final Writer writer;
    private volatile LogForm form;

    /** @param lastLinesMayTake the maximum time that {@link #stop} waits for lines that are not written yet */
    LogQueue(OutputStream sink, LogForm form, Duration lastLinesMayTake) {
        this.writer = new Writer(sink);
        this.form = form;
        setName("sluice-log");
        setQueueSize(SIZE);
        setNeverBlock(true);
        // Logback calls isDiscardable while fewer places than this are free: with 1, exactly when the queue is full.
        setDiscardingThreshold(1);
        setMaxFlushTime(Math.toIntExact(lastLinesMayTake.toMillis()));
    }

    /** Changes the format of all lines from now on. */
    void become(LogForm other) {
        form = other;
    }

    long dropped() {
        return dropped.sum();
    }

    /** Adds the writer here and not in the constructor: without a context, Logback would print a warning to standard output. */
    @Override
    public void start() {
        writer.setContext(getContext());
        writer.start();
        addAppender(writer);
        super.start();
    }

    /**
     * Queues the formatted line and not the event, whose arguments and exception may be large. The lock keeps the count exact:
     * without it, two threads could both see the last free place, and Logback would silently drop one of their lines.
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
     * Writes one line after another, on the queue's thread only. Logback's own appenders are not suitable: the stream appender
     * stops permanently at the first failure, and the console appender never notices a failure.
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
