package io.sluice.rules.watch;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * When files are looked at, and on which thread.
 *
 * @param every from the end of a look to the next one
 * @param thread runs one look at a time
 * @param stop ends the thread when the watch is closed
 */
public record Looks(Clock clock, Duration every, Executor thread, Runnable stop) {

    /** Twice a second: a change is taken at the second look that sees it, and so is in force within 2 s. */
    public static final Duration OFTEN = Duration.ofMillis(500);

    /** Looks on a daemon thread of its own. */
    public static Looks onThread(String name, Clock clock, Duration every) {
        ExecutorService thread = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread looker = new Thread(task, name);
                    looker.setDaemon(true);
                    return looker;
                },
                // An alarm may ring in the moment of closing.
                new ThreadPoolExecutor.DiscardPolicy());
        return new Looks(clock, every, thread, thread::shutdown);
    }
}
