package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.LeasePolicy;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The settings for leasing permits in advance under {@link Mode#LOCAL_DISTRIBUTED}. Immutable.
 *
 * @param size the number of permits in one lease, 1 to {@link Limit#MAX_PERMITS}; if empty, the size adapts to the key's own
 *     rate
 * @param share the maximum share of a limit on leases, more than 0 and at most 1
 * @param ttl the time for which unspent permits are kept, 1 ms to 1 h
 */
public record Lease(OptionalLong size, double share, Duration ttl) {

    /** The maximum time that unspent permits may be kept. */
    public static final Duration LONGEST_TTL = Duration.ofHours(1);

    public static final Lease DEFAULT = new Lease(OptionalLong.empty(), 0.1, Duration.ofSeconds(1));

    public Lease {
        size.ifPresent(permits -> {
            if (permits < 1 || permits > Limit.MAX_PERMITS) {
                throw new IllegalArgumentException("size: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
            }
        });
        RangeCheck.share("share", share);
        RangeCheck.span("ttl", ttl, LONGEST_TTL);
    }

    /** Returns this lease in the form that engines use. */
    public LeasePolicy policy() {
        return new LeasePolicy(size.orElse(0), share, TimeUnit.NANOSECONDS.toMicros(ttl.toNanos()));
    }
}
