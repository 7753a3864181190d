package io.sluice.runtime.fleet;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * This process as a member of a fleet: it reports to the center every second, and learns how many members live. All waiting
 * happens on a dedicated thread. While the center is lost, the last known number stays. Thread-safe.
 */
public final class FleetMember implements AutoCloseable {

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration LAST_MAY_TAKE = Duration.ofSeconds(10);
    private static final int MOST_LAST = 30;
    private static final String PART = "reports";

    private final FleetLine line;
    private final Clock clock;
    private final List<FleetPart> parts;
    private final ExecutorService sending;
    private volatile int liveNodes;
    private volatile @Nullable String lost;
    private volatile boolean closed;
    private volatile @Nullable LongFunction<NodeReport> reports;

    /** True if a center has ever answered. */
    private boolean answered;

    private long beat;

    /** Creates a member that does not report yet. Closing it closes the line. */
    public FleetMember(FleetLine line, Clock clock) {
        this(line, clock, List.of());
    }

    /** Creates a member with parts that add to its reports. */
    public FleetMember(FleetLine line, Clock clock, List<FleetPart> parts) {
        this.line = line;
        this.clock = clock;
        this.parts = List.copyOf(parts);
        this.sending = Executors.newSingleThreadExecutor(task -> {
            Thread sender = new Thread(task, "sluice-fleet");
            sender.setDaemon(true);
            return sender;
        });
    }

    /**
     * Starts to report.
     *
     * @param reports creates the report with a given number; called on the dedicated thread
     */
    public void start(LongFunction<NodeReport> reports) {
        this.reports = reports;
        wake(reports);
    }

    /** Returns how many members, including this one, lived when the center counted last; 0 if that is unknown. Never blocks. */
    public int liveNodes() {
        return liveNodes;
    }

    /** Returns the problems with the center, as sentences. */
    public List<String> findings() {
        List<String> found = new ArrayList<>();
        String why = lost;
        if (why != null) {
            found.add("reports do not reach the center: " + why);
        }
        parts.forEach(part -> found.addAll(part.findings()));
        return found;
    }

    private void wake(LongFunction<NodeReport> reports) {
        if (!closed) {
            try {
                sending.execute(() -> send(reports));
            } catch (RejectedExecutionException e) {
                // The member was closed in the meantime.
            }
        }
    }

    private void send(LongFunction<NodeReport> reports) {
        if (closed) {
            return;
        }
        long began = clock.nanoTime();
        try {
            exchange(reports);
            lost = null;
            line.log().back(PART);
        } catch (LostCenterException e) {
            lose(e);
        } catch (RuntimeException e) {
            lose(new LostCenterException(e.toString(), true));
        } finally {
            clock.at(began + EVERY.toNanos(), () -> wake(reports));
        }
    }

    private void exchange(LongFunction<NodeReport> reports) throws LostCenterException {
        NodeReport report = reports.apply(beat++);
        for (FleetPart part : parts) {
            report = part.addTo(report);
        }
        take(line.send(report));
    }

    /** Sends the data that the center lacks. A lost center is asked once more. */
    private void sendLast() {
        LongFunction<NodeReport> all = reports;
        if (all == null) {
            return;
        }
        int most = lost == null ? MOST_LAST : 1;
        long end = clock.nanoTime() + LAST_MAY_TAKE.toNanos();
        for (int i = 0; i < most && clock.nanoTime() - end < 0; i++) {
            if (parts.stream().noneMatch(FleetPart::hasMore)) {
                return;
            }
            try {
                exchange(all);
            } catch (LostCenterException | RuntimeException e) {
                // The report is repeated, and then the process stops anyway.
            }
        }
    }

    private void take(Optional<Fleet> fleet) throws LostCenterException {
        if (fleet.isPresent()) {
            answered = true;
            int nodes = fleet.get().nodes();
            // A center that counts 0 members has not counted this process yet.
            liveNodes = nodes > 0 ? nodes : liveNodes;
            parts.forEach(part -> part.heard(fleet.get()));
        } else if (answered) {
            throw new LostCenterException("no center has answered for a minute", false);
        }
    }

    /** Records that the center is lost. Without any center, the reports are not missed, so the loss is not logged. */
    private void lose(LostCenterException e) {
        if (!closed && (answered || e.answered() || line.hasCenter())) {
            lost = e.why();
            line.log().lost(PART, e);
        }
    }

    /** Sends the data that the center lacks, for at most a few seconds. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (reports != null) {
            parts.forEach(FleetPart::closing);
        }
        try {
            sending.execute(() -> {
                sendLast();
                line.close();
            });
        } catch (RejectedExecutionException e) {
            // The member was closed before.
        }
        sending.shutdown();
        if (parts.stream().anyMatch(FleetPart::hasMore)) {
            await();
        }
    }

    private void await() {
        try {
            var unused = sending.awaitTermination(LAST_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
