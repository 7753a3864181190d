package io.sluice.node;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to every door before the node serves. The first answers take longer than a decision may, because classes are loaded and
 * code is compiled. All doors are warmed up at the same time, each for {@link #SPAN}. A failure never stops the start. It is logged only
 * at debug level: on a busy machine, a failed warm-up does not concern the user. No request changes a count of a user. Further nodes of a
 * process, such as those of tests, find the classes loaded and the code compiled, and warm up only for a moment.
 */
final class WarmUp {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final Duration SPAN = Duration.ofMillis(600);
    private static final Duration MOMENT = Duration.ofMillis(10);

    /** The doors that this process has warmed up for the whole span. */
    private static final Set<String> WARM = ConcurrentHashMap.newKeySet();

    /** The time after which the start continues even if a door is still busy. */
    private static final Duration AT_MOST = Duration.ofSeconds(10);

    private final Clock clock;
    private final List<CompletableFuture<Void>> doors = new ArrayList<>();

    WarmUp(Clock clock) {
        this.clock = clock;
    }

    /** The requests for one door. */
    @FunctionalInterface
    interface Step {

        /** Sends requests while {@code more} is true. */
        void run(BooleanSupplier more) throws Exception;
    }

    /** Starts to warm up a door, on its own thread. */
    void begin(String door, Step step) {
        doors.add(CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run(new Span(WARM.contains(door) ? MOMENT : SPAN));
                        WARM.add(door);
                    } catch (Exception e) {
                        LOG.debug("the door {} was not warmed up; its first answers may be slow", door, e);
                    }
                },
                task -> {
                    Thread thread = new Thread(task, "sluice-warm-up");
                    thread.setDaemon(true);
                    thread.start();
                }));
    }

    /** Waits until all doors are warmed up. */
    void await() {
        CompletableFuture.allOf(doors.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, AT_MOST.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** The time starts with the first request, because a door may first have to open something. */
    private final class Span implements BooleanSupplier {

        private final Duration span;
        private long until;
        private boolean begun;

        Span(Duration span) {
            this.span = span;
        }

        @Override
        public boolean getAsBoolean() {
            if (!begun) {
                begun = true;
                until = clock.nanoTime() + span.toNanos();
            }
            return clock.nanoTime() - until < 0;
        }
    }
}
