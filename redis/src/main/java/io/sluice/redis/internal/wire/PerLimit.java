package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Caches a value that was computed for a limit, or for a limit and the permits that requests keep of it. Requests use the same few limit
 * objects, so these are recognised by identity: a limit that is equal but another object is computed again. Bounded, and thread-safe.
 */
final class PerLimit<T> {

    private static final int PLACES = 1_024;

    private final AtomicReferenceArray<@Nullable Entry<T>> places = new AtomicReferenceArray<>(PLACES);
    private final Computation<T> compute;

    /** Computes the value of a limit of which requests keep this number of permits for other callers. */
    interface Computation<T> {
        T of(Limit limit, long keep);
    }

    PerLimit(Computation<T> compute) {
        this.compute = compute;
    }

    PerLimit(Function<Limit, T> compute) {
        this((limit, keep) -> compute.apply(limit));
    }

    T of(Limit limit) {
        return of(limit, 0);
    }

    @SuppressWarnings("ReferenceEquality") // comparing all fields of a limit would cost more than is saved
    T of(Limit limit, long keep) {
        int place = (System.identityHashCode(limit) + 31 * Long.hashCode(keep)) & (PLACES - 1);
        Entry<T> entry = places.getPlain(place);
        if (entry == null || entry.limit != limit || entry.keep != keep) {
            entry = new Entry<>(limit, keep, compute.of(limit, keep));
            places.setRelease(place, entry);
        }
        return entry.value;
    }

    private record Entry<T>(Limit limit, long keep, T value) {}
}
