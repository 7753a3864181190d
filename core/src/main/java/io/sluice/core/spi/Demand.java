package io.sluice.core.spi;

import io.sluice.core.Limit;
import java.util.Objects;

/**
 * What a request asks of one limit: so many permits for a key. Immutable.
 *
 * @param limit how much may pass
 * @param key whose count it is; any text, the empty one too
 * @param permits what is wanted, 1 to {@link Limit#MAX_PERMITS}
 * @param atLeast what would still be of use, 1 to {@code permits}; less than {@code permits} asks for a partial grant
 * @param maxWaitMicros how far off a reserved time slot may be; 0 asks for now
 * @param label what reports call this limit
 */
public record Demand(Limit limit, String key, long permits, long atLeast, long maxWaitMicros, Label label) {

    public Demand {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(label, "label");
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
        if (atLeast < 1 || atLeast > permits) {
            throw new IllegalArgumentException("atLeast: " + atLeast + " (expected: 1.." + permits + ")");
        }
        if (maxWaitMicros < 0) {
            throw new IllegalArgumentException("maxWaitMicros: " + maxWaitMicros + " (expected: 0..)");
        }
    }

    /** All of {@code permits}, now, reported under the limit's own name. */
    public static Demand of(Limit limit, String key, long permits) {
        return new Demand(limit, key, permits, permits, 0, new Label(limit.name(), limit.name(), "local"));
    }

    public Demand orAtLeast(long atLeast) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, label);
    }

    public Demand waitingUpTo(long maxWaitMicros) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, label);
    }

    public Demand labelled(Label label) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, label);
    }

    /** Whether both mean the same count. */
    public boolean sharesCountWith(Demand other) {
        return key.equals(other.key)
                && limit.name().equals(other.limit.name())
                && limit.shape().equals(other.limit.shape());
    }
}
