package io.sluice.cli;

import io.sluice.node.Node;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The end of a node's process: at the first signal, requests in flight are finished; at the second, the process ends at once.
 * Thread-safe.
 */
final class Stop {

    /** The exit code that shells report for an interrupted process. */
    private static final int INTERRUPTED = 130;

    private static final long WORDS_MAY_TAKE_MILLIS = 200;

    private final PrintWriter out;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable Node node;
    private volatile int code = CommandLine.ExitCode.OK;

    Stop(PrintWriter out) {
        this.out = out;
    }

    /** Registers the node that a stop has to close. */
    void running(Node started) {
        node = started;
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
        Node started = node;
        if (started != null) {
            say("stopping");
            started.close();
        }
        Logs.end();
        Runtime.getRuntime().halt(code);
    }

    /** Prints a message without waiting long: an output that nobody reads must not delay the end. */
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
