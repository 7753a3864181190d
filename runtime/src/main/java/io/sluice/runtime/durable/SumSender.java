package io.sluice.runtime.durable;

import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Sends changed sums to the center, if there is one. What it does not accept is sent later. Thread-safe. */
final class SumSender {

    /** How often all sums are sent: a center that was restored from a backup does not have them. */
    private static final Duration REPEAT = Duration.ofHours(1);

    private static final int AT_ONCE = 1_000;

    private final Optional<DurableLine> center;
    private final DurableSums sums;
    private final DurableSums.Reader reader;
    private final Clock clock;

    /** Held while sums are sent, so that they arrive in order. */
    private final Object line = new Object();

    private volatile int underWay;

    /** When all sums were sent. Guarded by {@code line}. */
    private long repeatedNanos;

    SumSender(Optional<DurableLine> center, DurableSums sums, DurableSums.Reader reader, Clock clock) {
        this.center = center;
        this.sums = sums;
        this.reader = reader;
        this.clock = clock;
        this.repeatedNanos = clock.nanoTime();
    }

    boolean hasCenter() {
        return center.isPresent();
    }

    /** Returns how many sums the center does not have yet. One that has changed while it is sent counts twice. */
    int waiting() {
        return sums.waiting(reader) + underWay;
    }

    /** Sends what the center does not have. Blocks. */
    void send() throws IOException {
        if (center.isEmpty()) {
            return;
        }
        synchronized (line) {
            if (clock.nanoTime() - repeatedNanos > REPEAT.toNanos()) {
                repeatedNanos = clock.nanoTime();
                sums.putAll(reader);
            }
            // Sums that change meanwhile wait for the next time, so that this ends.
            for (long left = sums.waiting(reader); left > 0; left -= AT_ONCE) {
                send(center.get(), sums.take(reader, AT_ONCE));
            }
        }
    }

    private void send(DurableLine open, List<DurableSum> some) throws IOException {
        boolean sent = some.isEmpty();
        underWay = some.size();
        try {
            if (!sent) {
                open.send(some);
                sent = true;
            }
        } finally {
            if (!sent) {
                sums.putBack(reader, some);
            }
            underWay = 0;
        }
    }

    /** Returns what the center says that earlier stores were charged; nothing without a center. Blocks. */
    List<DurableSum> earlierThan(String store) throws IOException {
        return center.isPresent() ? center.get().earlierThan(store) : List.of();
    }

    /** Removes a subject from the center. What was taken before it was removed here is sent before. Blocks. */
    long erase(KeyMatch match) throws IOException {
        if (center.isEmpty()) {
            return 0;
        }
        synchronized (line) {
            List<DurableSum> there = center.get().all().stream()
                    .filter(sum -> match.matches(sum.count().key()))
                    .toList();
            if (!there.isEmpty()) {
                center.get().remove(there);
            }
            return there.size();
        }
    }
}
