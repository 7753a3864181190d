package io.sluice.node;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts questions to every door before the node says that it serves, because the first answers take longer than a decision may: classes
 * are loaded and code is compiled. All doors are asked at once, each for {@link #SPAN}. A door that fails is logged and never stops the
 * start. No question changes a count of a user.
 */
final class WarmUp {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final Duration SPAN = Duration.ofMillis(600);

    /** The start goes on after this time, whatever a door is still waiting for. */
    private static final Duration AT_MOST = Duration.ofSeconds(10);

    private final Clock clock;
    private final List<CompletableFuture<Void>> doors = new ArrayList<>();

    WarmUp(Clock clock) {
        this.clock = clock;
    }

    /** What a door contributes. */
    @FunctionalInterface
    interface Step {

        /** Asks again and again while {@code more} is true. */
        void run(BooleanSupplier more) throws Exception;
    }

    /** Begins with a door, on a thread of its own. */
    void begin(String door, Step step) {
        doors.add(CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run(new Span());
                    } catch (Exception e) {
                        LOG.info("{} is not warmed up, its first answers may be slow: {}", door, e.toString());
                    }
                },
                task -> {
                    Thread thread = new Thread(task, "sluice-warm-up");
                    thread.setDaemon(true);
                    thread.start();
                }));
    }

    /** Returns when all doors are through. */
    void await() {
        CompletableFuture.allOf(doors.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, AT_MOST.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Begins with the first question, since a door may have to open something to ask. */
    private final class Span implements BooleanSupplier {

        private long until;
        private boolean begun;

        @Override
        public boolean getAsBoolean() {
            if (!begun) {
                begun = true;
                until = clock.nanoTime() + SPAN.toNanos();
            }
            return clock.nanoTime() - until < 0;
        }
    }
}
