package io.sluice.center.fleet;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rules in force, the trial and the adjustments as server-sent events for nodes. Each listener receives the newest state; states in
 * between may be left out. No listener receives an older event after a newer one. Thread-safe.
 */
public final class RuleFeed {

    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private RuleNews latest = RuleNews.NONE;

    /** A receiver of news. Its methods must not block. */
    public interface Listener {
        void news(RuleNews news);

        /** Sends a comment that keeps the connection alive. */
        void comfort();

        /** Ends the stream. */
        void end();
    }

    /** Sends rules to all listeners, if they are newer than the last rules. */
    public synchronized void publish(FleetRules rules) {
        if (!rules.equals(latest.rules()) && latest.rules().isFollowedBy(rules)) {
            RuleNews news = latest.next(rules);
            latest = news;
            listeners.forEach(listener -> listener.news(news));
        }
    }

    /** Keeps the connections of all listeners alive. */
    public void comfort() {
        listeners.forEach(Listener::comfort);
    }

    /** Ends all streams, because the center stops. */
    public void end() {
        listeners.forEach(Listener::end);
    }

    /** Adds a listener, which immediately receives the current news. */
    public synchronized void add(Listener listener) {
        listeners.add(listener);
        listener.news(latest);
    }

    public void remove(Listener listener) {
        listeners.remove(listener);
    }
}
