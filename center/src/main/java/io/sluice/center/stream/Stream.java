package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.access.Visibility;
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
 * Tells listeners what happens. A listener hears only what happens while it listens, and only what it may see. Telling never waits for
 * a listener: one that reads too slowly is cut off. Thread-safe.
 */
public final class Stream {

    private static final Logger LOG = LoggerFactory.getLogger(Stream.class);

    /** More listeners are refused. */
    static final int MOST_LISTENERS = 200;

    /** One account or token can have this many. */
    static final int MOST_OF_ONE = 50;

    private static final long COMFORT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Clock clock;

    /** Those who listen, and since when. */
    private final Map<Listener, Long> listeners = new ConcurrentHashMap<>();

    private volatile Supplier<List<RuleSet>> rules = List::of;
    private volatile boolean ended;

    // Guarded by this.
    private long comfortedNanos;
    private long checkedNanos;

    /** Somebody who listens. Must not block. */
    interface Listener {

        /** Returns who it is. */
        Access access();

        boolean hears(StreamTopic topic);

        void tell(StreamEvent event);

        /** Asks for a sign of life. */
        void comfort();

        /** Asks to find out whether it may still listen. */
        void check();

        /** Ends the stream. */
        void end();
    }

    public Stream(Clock clock) {
        this.clock = clock;
        this.comfortedNanos = clock.nanoTime();
        this.checkedNanos = clock.nanoTime();
    }

    /** Sets the rules that decide who sees what: those in force and those on trial. */
    public void seeBy(Supplier<List<RuleSet>> sets) {
        rules = sets;
    }

    /**
     * Tells everybody who listens to a topic and may see it.
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

    /** Returns whether somebody listens to a topic. */
    boolean isHeard(StreamTopic topic) {
        return heardSince(topic).isPresent();
    }

    /** Returns since when those who listen to a topic now do, in milliseconds since 1970; empty if nobody listens. */
    OptionalLong heardSince(StreamTopic topic) {
        return listeners.entrySet().stream()
                .filter(each -> each.getKey().hears(topic))
                .mapToLong(Map.Entry::getValue)
                .min();
    }

    /** Returns whether somebody sees a rule. A rule that neither is in force nor on trial is seen by those who see all rules. */
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

    /** Returns how many listen. */
    public int size() {
        return listeners.size();
    }

    /** Sends signs of life, and lets listeners find out whether they may still listen. To be called several times a second. */
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
