package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.reach.Visibility;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes events to listeners. A listener receives only events that occur while it listens, and only events that it may see. Publishing
 * never waits for a listener: the stream of a listener that reads too slowly is ended. Thread-safe.
 */
public final class Stream {

    private static final Logger LOG = LoggerFactory.getLogger(Stream.class);

    /** The maximum number of listeners. Further listeners are refused. */
    static final int MOST_LISTENERS = 200;

    /** The maximum number of listeners of one account or token. */
    static final int MOST_OF_ONE = 50;

    private static final long COMFORT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Clock clock;

    /** The listeners, with the time since which they listen. */
    private final Map<Listener, Long> listeners = new ConcurrentHashMap<>();

    private volatile Supplier<List<RuleSet>> rules = List::of;
    private volatile boolean ended;

    // Guarded by this.
    private long comfortedNanos;
    private long checkedNanos;

    /** A receiver of events. Its methods must not block. */
    interface Listener {

        /** Returns the rights of the listener. */
        Access access();

        boolean hears(StreamTopic topic);

        void tell(StreamEvent event);

        /** Sends an event that keeps the connection alive. */
        void comfort();

        /** Checks whether the listener may continue to listen. */
        void check();

        /** Ends the stream. */
        void end();
    }

    public Stream(Clock clock) {
        this.clock = clock;
        this.comfortedNanos = clock.nanoTime();
        this.checkedNanos = clock.nanoTime();
    }

    /** Sets the rules by which the visibility of events is decided: the rules in force and the rules on trial. */
    public void seeBy(Supplier<List<RuleSet>> sets) {
        rules = sets;
    }

    /**
     * Publishes an event to all listeners of a topic that may see it.
     *
     * @param topic such as {@code alerts}
     * @param json an object
     * @throws IllegalArgumentException if there is no such topic
     */
    public void publish(String topic, String json, Predicate<Access> sees) {
        publish(new Published(StreamTopic.of(topic), json, sees));
    }

    private record Published(StreamTopic topic, String text, Predicate<Access> sees) implements StreamEvent {

        @Override
        public Optional<String> json(Access access, String rule) {
            return sees.test(access) ? Optional.of(text) : Optional.empty();
        }
    }

    void publish(StreamEvent event) {
        for (Listener listener : listeners.keySet()) {
            if (listener.hears(event.topic())) {
                try {
                    listener.tell(event);
                } catch (RuntimeException e) {
                    LOG.debug("a listener could not be told", e);
                    listener.end();
                }
            }
        }
    }

    /** Returns whether a topic has listeners. */
    boolean isHeard(StreamTopic topic) {
        return heardSince(topic).isPresent();
    }

    /** Returns the time since which the current listeners of a topic listen, in milliseconds since 1970; empty if there are none. */
    OptionalLong heardSince(StreamTopic topic) {
        return listeners.entrySet().stream()
                .filter(each -> each.getKey().hears(topic))
                .mapToLong(Map.Entry::getValue)
                .min();
    }

    /**
     * Returns whether a listener may read a rule. A rule that is neither in force nor on trial is visible to listeners that may read all
     * rules.
     */
    boolean sees(Access access, String rule) {
        return new Visibility(access).sees(rule, rules.get());
    }

    /** Adds a listener. Returns whether there was room for it. */
    synchronized boolean add(Listener listener) {
        String name = listener.access().actor().name();
        long same = listeners.keySet().stream()
                .filter(each -> each.access().actor().name().equals(name))
                .count();
        if (ended || listeners.size() >= MOST_LISTENERS || same >= MOST_OF_ONE) {
            return false;
        }
        listeners.put(listener, clock.epochMicros() / 1_000);
        return true;
    }

    void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** Returns the number of listeners. */
    public int size() {
        return listeners.size();
    }

    /** Keeps connections alive, and checks whether listeners may continue to listen. Called several times a second. */
    public synchronized void turn() {
        long now = clock.nanoTime();
        if (now - comfortedNanos >= COMFORT_NANOS) {
            comfortedNanos = now;
            listeners.keySet().forEach(Listener::comfort);
        }
        if (now - checkedNanos >= CHECK_NANOS) {
            checkedNanos = now;
            listeners.keySet().forEach(Listener::check);
        }
    }

    /** Ends all streams, because the center stops. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        listeners.keySet().forEach(Listener::end);
    }
}
