package io.sluice.core.local;

import io.sluice.core.limit.Limit;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All series of an engine, each once. A series without a count and a limit is forgotten, so a program that generates names for its limits
 * does not fill the memory. Thread-safe.
 */
final class SeriesTable {

    private final ConcurrentHashMap<CountSeries.Id, Entry> entries = new ConcurrentHashMap<>();
    private final ReferenceQueue<CountSeries> forgotten = new ReferenceQueue<>();

    /** An entry that removes itself from the table once its series is no longer reachable. */
    private static final class Entry extends WeakReference<CountSeries> {

        private final CountSeries.Id id;

        Entry(CountSeries.Id id, CountSeries series, ReferenceQueue<CountSeries> queue) {
            super(series, queue);
            this.id = id;
        }
    }

    /** Returns the series of a limit, or null if there is none and so no count of the limit. */
    @Nullable
    CountSeries find(Limit limit) {
        Entry entry = entries.get(CountSeries.Id.of(limit));
        return entry == null ? null : entry.get();
    }

    CountSeries findOrAdd(Limit limit) {
        removeForgotten();
        CountSeries.Id id = CountSeries.Id.of(limit);
        while (true) {
            Entry entry = entries.get(id);
            CountSeries known = entry == null ? null : entry.get();
            if (known != null) {
                return known;
            }
            CountSeries made = new CountSeries(id.name(), id.shape());
            Entry next = new Entry(id, made, forgotten);
            if (entry == null ? entries.putIfAbsent(id, next) == null : entries.replace(id, entry, next)) {
                return made;
            }
        }
    }

    /** Returns the number of series in the table. */
    int size() {
        removeForgotten();
        return entries.size();
    }

    private void removeForgotten() {
        for (Object gone = forgotten.poll(); gone != null; gone = forgotten.poll()) {
            Entry entry = (Entry) gone;
            entries.remove(entry.id, entry);
        }
    }
}
