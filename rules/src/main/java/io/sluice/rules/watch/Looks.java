package io.sluice.rules.watch;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The schedule and the thread for polling files.
 *
 * @param every the delay from the end of one poll to the next
 * @param thread the executor, which runs one poll at a time
 * @param stop the action that ends the thread when the watch is closed
 */
public record Looks(Clock clock, Duration every, Executor thread, Runnable stop) {

    /** A delay of half a second. A change is accepted at the second poll that sees it, so it is in force within 2 s. */
    public static final Duration OFTEN = Duration.ofMillis(500);

    /** Creates a schedule on a dedicated daemon thread. */
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
                // An alarm may fire at the moment of closing.
                new ThreadPoolExecutor.DiscardPolicy());
        return new Looks(clock, every, thread, thread::shutdown);
    }
}
