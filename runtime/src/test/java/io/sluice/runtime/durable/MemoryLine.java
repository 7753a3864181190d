package io.sluice.runtime.durable;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A center in memory that several processes share, that can be unreachable, and that does not understand some sums. */
final class MemoryLine implements DurableLine {

    private final Map<String, DurableSum> sums = new TreeMap<>();
    private final Map<String, List<DurableSum>> fixed = new HashMap<>();
    private volatile boolean away;
    private volatile Predicate<DurableSum> refused = sum -> false;
    private int requests;

    /** Refuses everything with one of these sums from now on. */
    void refuse(Predicate<DurableSum> bad) {
        refused = bad;
    }

    /** Returns how often something was sent. */
    synchronized int requests() {
        return requests;
    }

    void away(boolean isAway) {
        away = isAway;
    }

    @Override
    public synchronized void send(List<DurableSum> some) throws IOException {
        requireThere();
        requests++;
        if (some.stream().anyMatch(refused)) {
            throw new RefusedSumsException("not a sum");
        }
        some.forEach(sum -> sums.merge(sum.ref(), sum, (a, b) -> a.changes() > b.changes() ? a : b));
    }

    @Override
    public synchronized List<DurableSum> earlierThan(String store) throws IOException {
        requireThere();
        return fixed.computeIfAbsent(store, each -> sums.values().stream()
                .filter(sum -> !sum.store().equals(store))
                .toList());
    }

    @Override
    public synchronized List<DurableSum> all() throws IOException {
        requireThere();
        return List.copyOf(sums.values());
    }

    @Override
    public synchronized void remove(List<DurableSum> some) throws IOException {
        requireThere();
        some.forEach(sum -> sums.remove(sum.ref()));
    }

    private void requireThere() throws IOException {
        if (away) {
            throw new IOException("the center accepts no connection");
        }
    }
}
