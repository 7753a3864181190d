package io.sluice.runtime.durable;

import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends changed sums to the center, if there is one. Sums that it does not accept are sent later. Thread-safe.
 *
 * <p><b>Why sums that the center does not understand are isolated.</b> A center of another version may refuse one sum, and with it all
 * sums of the same batch, again and again. So a refused batch is halved until the sum stands alone. That sum is not sent again for an
 * hour, and this process restores it itself as long as it has it.
 */
final class SumSender {

    private static final Logger LOG = LoggerFactory.getLogger(SumSender.class);

    /** The interval at which all sums are sent, because a center that was restored from a backup does not have them. */
    private static final Duration REPEAT = Duration.ofHours(1);

    private static final int AT_ONCE = 1_000;

    /** The number of refusals after which the other sums wait for the next call. One bad sum of {@link #AT_ONCE} needs eleven. */
    private static final int MOST_REFUSALS = 50;

    private final Optional<DurableLine> center;
    private final DurableSums sums;
    private final DurableSums.Reader reader;
    private final Clock clock;

    /** Held while sums are sent, so that they arrive in order. */
    private final Object line = new Object();

    private volatile int underWay;

    /** The time at which all sums were sent. Guarded by {@code line}, like the next fields. */
    private long repeatedNanos;

    /** The number of refusals left for this call. */
    private int refusals;

    private boolean toldThatSomeAreRefused;

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

    /** Returns the number of sums that the center does not have yet. A sum that has changed while it is sent counts twice. */
    int waiting() {
        return sums.waiting(reader) + underWay;
    }

    /** Sends the sums that the center does not have. Blocks. */
    void send() throws IOException {
        if (center.isEmpty()) {
            return;
        }
        synchronized (line) {
            if (clock.nanoTime() - repeatedNanos > REPEAT.toNanos()) {
                repeatedNanos = clock.nanoTime();
                toldThatSomeAreRefused = toldThatSomeAreRefused && sums.refused(reader) > 0;
                sums.putAll(reader);
            }
            refusals = MOST_REFUSALS;
            // Sums that change meanwhile wait for the next call, so that this loop ends.
            for (long left = sums.waiting(reader); left > 0 && refusals > 0; left -= AT_ONCE) {
                send(center.get(), sums.take(reader, AT_ONCE));
            }
        }
    }

    private void send(DurableLine open, List<DurableSum> some) throws IOException {
        Deque<List<DurableSum>> unsent = new ArrayDeque<>();
        if (!some.isEmpty()) {
            unsent.push(some);
        }
        underWay = some.size();
        try {
            while (!unsent.isEmpty() && refusals > 0) {
                List<DurableSum> next = unsent.element();
                boolean taken = isTaken(open, next);
                unsent.remove();
                if (!taken && next.size() == 1) {
                    refused(next.get(0));
                } else if (!taken) {
                    unsent.push(next.subList(next.size() / 2, next.size()));
                    unsent.push(next.subList(0, next.size() / 2));
                }
            }
        } finally {
            unsent.forEach(each -> sums.putBack(reader, each));
            underWay = 0;
        }
    }

    private boolean isTaken(DurableLine open, List<DurableSum> some) throws IOException {
        try {
            open.send(some);
            return true;
        } catch (RefusedSumsException e) {
            refusals--;
            return false;
        }
    }

    private void refused(DurableSum sum) {
        sums.refuse(reader, sum);
        if (!toldThatSomeAreRefused) {
            toldThatSomeAreRefused = true;
            LOG.warn(
                    "the center refuses a sum of the durable limit {}, and perhaps others, which only this node can"
                            + " restore now; its version may not match that of the node",
                    sum.count().limit());
        }
    }

    /** Returns the number of sums that the center refuses. */
    int refused() {
        return sums.refused(reader);
    }

    /** Returns the sums that the center has for earlier stores; none without a center. Blocks. */
    List<DurableSum> earlierThan(String store) throws IOException {
        return center.isPresent() ? center.get().earlierThan(store) : List.of();
    }

    /** Removes a subject from the center. Sums that were taken before their removal here are sent before. Blocks. */
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
