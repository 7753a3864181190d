package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what was computed for a limit. The same few objects come with every request, so they are recognised by identity: a
 * limit that is equal but another object is computed again. Bounded, and thread-safe.
 */
final class PerLimit<T> {

    private static final int PLACES = 1_024;

    private final AtomicReferenceArray<@Nullable Entry<T>> places = new AtomicReferenceArray<>(PLACES);
    private final Function<Limit, T> compute;

    PerLimit(Function<Limit, T> compute) {
        this.compute = compute;
    }

    @SuppressWarnings("ReferenceEquality") // comparing all fields of a limit would cost more than is saved
    T of(Limit limit) {
        int place = System.identityHashCode(limit) & (PLACES - 1);
        Entry<T> entry = places.getPlain(place);
        if (entry == null || entry.limit != limit) {
            entry = new Entry<>(limit, compute.apply(limit));
            places.setRelease(place, entry);
        }
        return entry.value;
    }

    private record Entry<T>(Limit limit, T value) {}
}
