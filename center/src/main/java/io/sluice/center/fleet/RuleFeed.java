package io.sluice.center.fleet;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rules in force, a trial and adjustments as server-sent events, for nodes. Each listener gets the newest state; states in
 * between may be left out. No listener gets an older event after a newer one. Thread-safe.
 */
public final class RuleFeed {

    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private RuleNews latest = RuleNews.NONE;

    /** Receives news. Must not block. */
    public interface Listener {
        void news(RuleNews news);

        /** Asks for a sign of life. */
        void comfort();

        /** Ends the stream. */
        void end();
    }

    /** Sends rules to all listeners, if they are newer than the last ones. */
    public synchronized void publish(FleetRules rules) {
        if (!rules.equals(latest.rules()) && latest.rules().isFollowedBy(rules)) {
            RuleNews news = latest.next(rules);
            latest = news;
            listeners.forEach(listener -> listener.news(news));
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

    /** Adds a listener. It gets the current news at once. */
    public synchronized void add(Listener listener) {
        listeners.add(listener);
        listener.news(latest);
    }

    public void remove(Listener listener) {
        listeners.remove(listener);
    }
}
