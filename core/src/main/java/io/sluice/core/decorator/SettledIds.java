package io.sluice.core.decorator;

import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/** The last noted settlements of each count, up to a bound. The oldest are forgotten first. Thread-safe. */
final class SettledIds {

    private final Set<Id> ids = new LinkedHashSet<>();
    private final int bound;

    private record Id(CountKey count, String id) {}

    SettledIds(int bound) {
        this.bound = bound;
    }

    /** Notes a settlement. Returns true if it was not noted before. */
    synchronized boolean add(Settlement settlement) {
        if (!ids.add(new Id(CountKey.of(settlement.limit(), settlement.key()), settlement.id()))) {
            return false;
        }
        if (ids.size() > bound) {
            Iterator<Id> oldest = ids.iterator();
            Id unused = oldest.next();
            oldest.remove();
        }
        return true;
    }

    /** Forgets the settlements of keys that match. */
    synchronized void forget(KeyMatch match) {
        ids.removeIf(id -> id.count.isOf(match));
    }

    /** Returns the number of noted settlements. */
    synchronized int size() {
        return ids.size();
    }
}
