package io.sluice.center.destination;

import io.sluice.center.log.LogText;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages to one destination, on a separate thread, and retries while the destination is unavailable. At most 1,000 messages wait,
 * each for at most an hour; messages that do not fit or wait longer are dropped and counted. Messages that wait together are sent together.
 */
final class DestinationQueue implements AutoCloseable {

    static final int MOST_WAITING = 1_000;
    static final int MOST_TOGETHER = 50;
    static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(DestinationQueue.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration SENDING_MAY_TAKE = Duration.ofMinutes(1);
    private static final long CLOSING_MILLIS = TimeUnit.SECONDS.toMillis(3);

    private final String name;
    private final Destination destination;
    private final Set<AlertSeverity> severities;
    private final Clock clock;
    private final LinkedBlockingQueue<Boolean> wishes = new LinkedBlockingQueue<>(1);
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Long sendingNanos;
    private volatile @Nullable Long givenUpNanos;

    /** The following fields are guarded by this object. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private long dropped;
    private @Nullable Instant lastSuccess;
    private @Nullable String lastError;
    private boolean isAway;

    /** The following fields are used only by the thread. */
    private List<Waiting> parcel = List.of();

    private String parcelId = "";
    private int together = MOST_TOGETHER;
    private Duration pause = Duration.ZERO;
    private long notBeforeNanos;

    private record Waiting(AlertMessage message, long sinceNanos) {}

    DestinationQueue(String name, Destination destination, Set<AlertSeverity> severities, Clock clock) {
        this.name = name;
        this.destination = destination;
        this.severities = Set.copyOf(severities);
        this.clock = clock;
        this.thread = new Thread(this::run, "sluice-center-alerts");
        this.thread.setDaemon(true);
        // The mail library needs its providers, regardless of the thread that starts this one.
        this.thread.setContextClassLoader(DestinationQueue.class.getClassLoader());
    }

    void start() {
        thread.start();
    }

    /** Takes the messages whose severity the destination receives. Never blocks. */
    void offer(List<AlertMessage> messages) {
        long now = clock.nanoTime();
        synchronized (this) {
            for (AlertMessage message : messages) {
                if (!severities.contains(message.severity())) {
                    continue;
                }
                if (waiting.size() >= MOST_WAITING) {
                    drop(1, "too many messages wait");
                } else {
                    waiting.addLast(new Waiting(message, now));
                }
            }
        }
        boolean unused = wishes.offer(true);
    }

    /** Triggers an attempt to send messages that are due. Returns immediately. */
    void turn() {
        Long since = sendingNanos;
        if (since != null && clock.nanoTime() - since > SENDING_MAY_TAKE.toNanos() && !since.equals(givenUpNanos)) {
            givenUpNanos = since;
            Thread closing = new Thread(destination::disconnect, "sluice-center-alerts-closing");
            closing.setDaemon(true);
            closing.start();
        }
        boolean unused = wishes.offer(true);
    }

    synchronized DestinationReply state() {
        return new DestinationReply(name, lastSuccess, lastError, waiting.size(), dropped);
    }

    /** Returns the problem of the destination as a sentence; empty if there is none. */
    synchronized Optional<String> problem() {
        return isAway
                ? Optional.of("alerts cannot be sent to " + name + ": " + lastError + "; " + waiting.size() + " wait")
                : Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
        boolean unused = wishes.offer(true);
        try {
            thread.join(CLOSING_MILLIS);
            destination.disconnect();
            thread.interrupt();
            thread.join(CLOSING_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closed) {
            try {
                Boolean unused = wishes.take();
                work();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) {
                LOG.error("alerts to {}: a turn failed; the next one follows", name, e);
                fail("an unexpected error, see the log of the center");
            }
        }
        // The remaining messages get one more attempt, unless the destination is unavailable.
        if (pause.isZero()) {
            work();
        }
    }

    private void work() {
        while (pause.isZero() || (!closed && clock.nanoTime() - notBeforeNanos >= 0)) {
            next();
            if (parcel.isEmpty()) {
                return;
            }
            try {
                sendingNanos = clock.nanoTime();
                destination.send(parcelId, parcel.stream().map(Waiting::message).toList());
                succeed();
            } catch (UndeliverableException e) {
                refuse(line(e));
            } catch (IOException e) {
                fail(line(e));
            } finally {
                sendingNanos = null;
            }
        }
    }

    /** Selects the messages to send now. The messages of a failed attempt are selected again, unless they are too old. */
    private synchronized void next() {
        long now = clock.nanoTime();
        int before = waiting.size();
        waiting.removeIf(each -> now - each.sinceNanos() > LONGEST_WAIT.toNanos());
        if (before > waiting.size()) {
            drop(before - waiting.size(), "they waited for more than an hour");
        }
        if (parcel.isEmpty() || !waiting.containsAll(parcel)) {
            parcel = new ArrayList<>(waiting).subList(0, Math.min(together, waiting.size()));
            parcelId = UUID.randomUUID().toString();
        }
    }

    private synchronized void succeed() {
        remove();
        together = MOST_TOGETHER;
        lastSuccess = Instant.ofEpochMilli(clock.epochMicros() / 1000);
        pause = Duration.ZERO;
        if (isAway) {
            isAway = false;
            LOG.info("alerts can be sent to {} again", name);
        }
    }

    /**
     * Drops the current messages, because the destination works but refuses them. It may refuse only one of them, or their number, so
     * several messages are first sent again in halves.
     */
    private synchronized void refuse(String why) {
        if (parcel.size() > 1) {
            together = parcel.size() / 2;
            parcel = List.of();
        } else {
            drop(1, why);
            remove();
        }
        lastError = why;
        pause = Duration.ZERO;
        isAway = false;
    }

    private void remove() {
        for (int i = 0; i < parcel.size(); i++) {
            waiting.removeFirst();
        }
        parcel = List.of();
    }

    private synchronized void fail(String why) {
        if (!isAway) {
            LOG.warn("alerts cannot be sent to {}; they wait: {}", name, why);
        }
        isAway = true;
        lastError = why;
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(SHORTEST_PAUSE) < 0
                ? SHORTEST_PAUSE
                : doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
        notBeforeNanos = clock.nanoTime() + pause.toNanos();
    }

    private synchronized void drop(int count, String why) {
        if (dropped == 0) {
            LOG.warn("alerts to {} are dropped: {}", name, why);
        }
        dropped += count;
    }

    private static String line(IOException e) {
        return LogText.line(String.valueOf(e.getMessage()));
    }
}
