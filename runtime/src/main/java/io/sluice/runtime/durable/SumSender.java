package io.sluice.runtime.durable;

import io.sluice.core.spi.KeyMatch;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sends changed sums to the center, if there is one. Thread-safe. */
final class SumSender {

    private static final int AT_ONCE = 1_000;

    private final Optional<DurableLine> center;

    /** Held while sums are sent, so that they arrive in order. */
    private final Object line = new Object();

    /** What the center does not have yet, by name. Guarded by itself. */
    private final Map<String, DurableSum> unsent = new LinkedHashMap<>();

    SumSender(Optional<DurableLine> center) {
        this.center = center;
    }

    boolean hasCenter() {
        return center.isPresent();
    }

    /** Returns what the center says that earlier stores were charged; nothing without a center. Blocks. */
    List<DurableSum> earlierThan(String store) throws IOException {
        return center.isPresent() ? center.get().earlierThan(store) : List.of();
    }

    /** Sends these the next time. */
    void add(Collection<DurableSum> some) {
        if (center.isPresent()) {
            synchronized (unsent) {
                some.forEach(sum -> unsent.put(sum.ref(), sum));
            }
        }
    }

    /** Does not send these, unless they are under way. */
    void remove(Collection<DurableSum> some) {
        synchronized (unsent) {
            some.forEach(sum -> unsent.remove(sum.ref()));
        }
    }

    /** Returns how many sums the center does not have yet. */
    int waiting() {
        synchronized (unsent) {
            return unsent.size();
        }
    }

    /** Sends what the center does not have. Blocks. */
    void send() throws IOException {
        if (center.isEmpty()) {
            return;
        }
        synchronized (line) {
            for (List<DurableSum> some = some(); !some.isEmpty(); some = some()) {
                center.get().send(some);
                synchronized (unsent) {
                    // A sum that has changed meanwhile is sent again.
                    some.forEach(sum -> unsent.remove(sum.ref(), sum));
                }
            }
        }
    }

    private List<DurableSum> some() {
        synchronized (unsent) {
            return unsent.values().stream().limit(AT_ONCE).toList();
        }
    }

    /** Removes a subject from the center. Nothing that was taken before is sent afterwards. Blocks. */
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
