package io.sluice.cli;

import io.sluice.node.Node;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The end of a node's process: at the first signal what is in flight finishes, at the second it ends at once. Safe for use by many
 * threads.
 */
final class Stop {

    /** What shells say of a process that was interrupted. */
    private static final int INTERRUPTED = 130;

    private static final long WORDS_MAY_TAKE_MILLIS = 200;

    private final PrintWriter out;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable Node node;
    private volatile int code = CommandLine.ExitCode.OK;

    Stop(PrintWriter out) {
        this.out = out;
    }

    /** There is something to be stopped now. */
    void running(Node started) {
        node = started;
    }

    /** The process ends because of a failure, and is to say so. */
    void failed() {
        code = CommandLine.ExitCode.SOFTWARE;
    }

    /** A signal was heard. */
    void heard() {
        if (begun.compareAndSet(false, true)) {
            new Thread(this::stop, "sluice-stop").start();
        } else {
            Runtime.getRuntime().halt(INTERRUPTED);
        }
    }

    /** The process ends, unless it is ending already. */
    void now() {
        if (begun.compareAndSet(false, true)) {
            stop();
        }
    }

    /** Halts, because after a signal the JVM would otherwise exit with the signal's number although all went well. */
    private void stop() {
        Node started = node;
        if (started != null) {
            say("stopping");
            started.close();
        }
        Logs.end();
        Runtime.getRuntime().halt(code);
    }

    /** Whoever does not read what is said does not hold up the end. */
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
