package io.sluice.core.spi;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import java.util.Objects;
import java.util.UUID;

/**
 * What a request asks of one limit: so many permits for a key. Immutable.
 *
 * @param limit how much may pass
 * @param key whose count it is; any text, the empty one too
 * @param permits what is wanted, 1 to {@link Limit#MAX_PERMITS}
 * @param atLeast what would still be of use, 1 to {@code permits}; less than {@code permits} asks for a partial grant
 * @param maxWaitMicros how far off a reserved time slot may be, up to {@link #MAX_WAIT_MICROS}; 0 asks for now
 * @param holder who holds the permits of a {@link io.sluice.core.limit.Concurrency} limit: a name that nobody else uses, by which
 *     they are given back even if the answer was lost; empty for other limits
 * @param label what reports call this limit
 * @param guard so many times the limit a process may have and ask a shared store for, see {@link io.sluice.core.decorator.Guard}; at least
 *     1, or {@link #UNGUARDED}
 * @param lease how permits may be taken in advance, if at all
 */
public record Demand(
        Limit limit,
        String key,
        long permits,
        long atLeast,
        long maxWaitMicros,
        String holder,
        Label label,
        double guard,
        LeasePolicy lease) {

    /** The guard of who asks for as much as it likes. */
    public static final double UNGUARDED = Double.POSITIVE_INFINITY;

    /** A thousand days: what is further off is not waited for. */
    public static final long MAX_WAIT_MICROS = 1_000 * 86_400_000_000L;

    public Demand {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(holder, "holder");
        if (holder.isEmpty() == limit instanceof Concurrency) {
            throw new IllegalArgumentException(
                    "holder: \"" + holder + "\" (expected: a name for permits that are held, " + "none for others)");
        }
        Objects.requireNonNull(lease, "lease");
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
        if (atLeast < 1 || atLeast > permits) {
            throw new IllegalArgumentException("atLeast: " + atLeast + " (expected: 1.." + permits + ")");
        }
        if (maxWaitMicros < 0 || maxWaitMicros > MAX_WAIT_MICROS) {
            throw new IllegalArgumentException(
                    "maxWaitMicros: " + maxWaitMicros + " (expected: 0.." + MAX_WAIT_MICROS + ")");
        }
        if (!(guard >= 1)) {
            throw new IllegalArgumentException("guard: " + guard + " (expected: at least 1)");
        }
    }

    /**
     * All of {@code permits}, at once or in the time slot that the limit gives, held by somebody new, and reported under the
     * limit's own name.
     */
    public static Demand of(Limit limit, String key, long permits) {
        String holder = limit instanceof Concurrency ? UUID.randomUUID().toString() : "";
        Label label = new Label(limit.name(), limit.name(), "local");
        return new Demand(
                limit, key, permits, permits, limit.maxWaitMicros(), holder, label, UNGUARDED, LeasePolicy.NONE);
    }

    /** The same demand on another limit of the same shape. */
    public Demand on(Limit limit) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease);
    }

    /** The same demand for all of so many permits. */
    public Demand permits(long permits) {
        return new Demand(limit, key, permits, permits, maxWaitMicros, holder, label, guard, lease);
    }

    public Demand heldBy(String holder) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease);
    }

    public Demand orAtLeast(long atLeast) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease);
    }

    public Demand waitingUpTo(long maxWaitMicros) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease);
    }

    public Demand labelled(Label label) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease);
    }

    public Demand guardedBy(double times) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, times, lease);
    }

    /** The same demand, which may be met with permits taken in advance. */
    public Demand leasedBy(LeasePolicy lease) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease);
    }

    /** Whether both mean the same count. */
    public boolean sharesCountWith(Demand other) {
        return key.equals(other.key)
                && limit.name().equals(other.limit.name())
                && limit.shape().equals(other.limit.shape());
    }
}
