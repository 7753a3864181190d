package io.sluice.cli;

import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The end of a process: at the first signal, requests in flight are finished; at the second, the process ends immediately.
 * Thread-safe.
 */
final class Stop {

    /** The exit code that shells report for an interrupted process. */
    private static final int INTERRUPTED = 130;

    private static final long WORDS_MAY_TAKE_MILLIS = 200;

    private final PrintWriter out;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable AutoCloseable running;
    private volatile int code = CommandLine.ExitCode.OK;

    Stop(PrintWriter out) {
        this.out = out;
    }

    /** Registers an object that a stop has to close. */
    void running(AutoCloseable started) {
        running = started;
    }

    /** Makes the process exit with the code of a failure. */
    void failed() {
        code = CommandLine.ExitCode.SOFTWARE;
    }

    /** Handles a signal. */
    void heard() {
        if (begun.compareAndSet(false, true)) {
            new Thread(this::stop, "sluice-stop").start();
        } else {
            Runtime.getRuntime().halt(INTERRUPTED);
        }
    }

    /** Ends the process, unless it is ending already. */
    void now() {
        if (begun.compareAndSet(false, true)) {
            stop();
        }
    }

    /** Halts, because after a signal the JVM would otherwise exit with the signal's number although the stop was clean. */
    private void stop() {
        AutoCloseable started = running;
        if (started != null) {
            say("stopping");
            close(started);
        }
        Logs.end();
        Runtime.getRuntime().halt(code);
    }

    private static void close(AutoCloseable started) {
        try {
            started.close();
        } catch (Exception e) {
            LoggerFactory.getLogger(Stop.class).warn("the process did not stop cleanly", e);
        }
    }

    /** Prints a message without waiting long: an output without a reader must not delay the end. */
    private void say(String words) {
        Thread speaker = new Thread(
                () -> {
                    out.println(words);
                    out.flush();
                },
                "sluice-last-words");
        speaker.setDaemon(true);
        speaker.start();
        try {
            speaker.join(WORDS_MAY_TAKE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
