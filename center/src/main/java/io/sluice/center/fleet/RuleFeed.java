package io.sluice.center.fleet;

import io.sluice.rules.snapshot.RuleSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rules in force as server-sent events, for nodes. Each listener gets the newest rules; versions in between may be left out. No
 * listener gets an older event after a newer one. Thread-safe.
 */
public final class RuleFeed {

    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private RuleEvent latest = RuleEvent.NONE;

    /** Receives events. Must not block. */
    public interface Listener {
        void news(RuleEvent event);

        /** Asks for a sign of life. */
        void comfort();

        /** Ends the stream. */
        void end();
    }

    /** Sends rules to all listeners, if they are newer than the last ones. */
    public synchronized void publish(RuleSet rules) {
        if (rules.version() > latest.version()) {
            RuleEvent event = RuleEvent.of(rules);
            latest = event;
            listeners.forEach(listener -> listener.news(event));
        }
    }

    /** Sends a sign of life to all listeners. */
    public void comfort() {
        listeners.forEach(Listener::comfort);
    }

    /** Ends all streams, because the center stops. */
    public void end() {
        listeners.forEach(Listener::end);
    }

    /** Adds a listener. It gets the current rules at once, unless it has them. */
    public synchronized void add(Listener listener, String lastId) {
        listeners.add(listener);
        if (latest.id().isEmpty() || !latest.id().equals(lastId)) {
            listener.news(latest);
        } else {
            listener.comfort();
        }
    }

    public void remove(Listener listener) {
        listeners.remove(listener);
    }
}
