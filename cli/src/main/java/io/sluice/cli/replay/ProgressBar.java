package io.sluice.cli.replay;

import io.sluice.core.time.Clock;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.report.ReportTime;
import io.sluice.replay.run.Replay;
import java.io.PrintWriter;
import java.util.Locale;

/** Shows the progress of a replay on a terminal, with its speed and the remaining time. Writes at most five times a second. */
final class ProgressBar implements Replay.Progress {

    private static final int WIDTH = 30;
    private static final long EVERY_NANOS = 200_000_000;
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter err;
    private final Clock clock;
    private final String title;
    private final long startNanos;
    private long nextNanos;
    private boolean shown;

    ProgressBar(PrintWriter err, Clock clock) {
        this(err, clock, "");
    }

    /** @param title the text before the bar */
    ProgressBar(PrintWriter err, Clock clock, String title) {
        this.err = err;
        this.title = title;
        this.clock = clock;
        this.startNanos = clock.nanoTime();
        this.nextNanos = startNanos + EVERY_NANOS;
    }

    @Override
    public void at(long requests, LogReader log) {
        long now = clock.nanoTime();
        if (now < nextNanos) {
            return;
        }
        nextNanos = now + EVERY_NANOS;
        shown = true;
        err.print(CLEAR + title + line(requests, log.bytesRead(), log.totalBytes(), now - startNanos));
        err.flush();
    }

    /** Returns the line. Without a known size there is no bar. */
    static String line(long requests, long bytes, long total, long nanos) {
        String speed =
                String.format(Locale.ROOT, "%s requests, %s/s", ReportTime.count(requests), ReportTime.count((long)
                        (requests * 1e9 / nanos)));
        if (total <= 0) {
            return speed;
        }
        double done = Math.min(1, (double) bytes / total);
        int full = (int) (done * WIDTH);
        long leftMicros = done == 0 ? 0 : (long) (nanos / 1e3 * (1 - done) / done);
        return String.format(
                Locale.ROOT,
                "[%s%s] %3.0f %%  %s, %s left",
                "█".repeat(full),
                "·".repeat(WIDTH - full),
                100 * done,
                speed,
                ReportTime.span(leftMicros));
    }

    /** Removes the line. */
    void end() {
        if (shown) {
            err.print(CLEAR);
            err.flush();
        }
    }
}
