package io.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes lines of the log and writes them when the sink takes them. Whoever logs never waits: what does not fit into the queue, because
 * nobody reads the pipe or the disk is full, is dropped and counted, and the log says how many when it goes on. At most {@value #MOST}
 * lines wait. Safe for use by many threads.
 */
final class LogQueue extends UnsynchronizedAppenderBase<ILoggingEvent> {

    static final int MOST = 1_024;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final ArrayBlockingQueue<byte[]> lines = new ArrayBlockingQueue<>(MOST);
    private final AtomicInteger underWay = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();
    private final OutputStream sink;
    private volatile LogForm form;

    /** A queue before a sink, and the thread that empties it. */
    LogQueue(OutputStream sink, LogForm form) {
        this.sink = sink;
        this.form = form;
        Thread writer = new Thread(this::write, "sluice-log");
        writer.setDaemon(true);
        writer.start();
    }

    /** Lines look like this from now on. */
    void become(LogForm other) {
        form = other;
    }

    long dropped() {
        return dropped.sum();
    }

    @Override
    protected void append(ILoggingEvent event) {
        byte[] line = (form.line(event) + "\n").getBytes(StandardCharsets.UTF_8);
        underWay.incrementAndGet();
        if (!lines.offer(line)) {
            underWay.decrementAndGet();
            dropped.increment();
        }
    }

    /** Waits until everything is written, but no longer than this. */
    void drain(Duration atMost) {
        long pauses = atMost.toNanos() / PAUSE_NANOS;
        for (long i = 0; i < pauses && underWay.get() > 0; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void write() {
        long told = 0;
        while (!Thread.currentThread().isInterrupted()) {
            try {
                byte[] line = lines.take();
                try {
                    sink.write(line);
                    long gone = dropped.sum();
                    if (gone > told) {
                        sink.write(form.dropped(gone - told).getBytes(StandardCharsets.UTF_8));
                        told = gone;
                    }
                } catch (IOException e) {
                    dropped.increment();
                } finally {
                    underWay.decrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
