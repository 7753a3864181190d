package io.sluice.core.local;

import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;

/**
 * A {@link Gate} for a key that many threads ask for at the same time: permits are taken from the bucket in small batches and
 * spent by threads that do not meet. Safe for use by many threads.
 *
 * <p><b>What it gives up.</b> In any span of t it lets at most {@code burst + rate × t} pass, plus what was outstanding at the
 * start of the span: permits taken before and not spent yet, at most {@code share × burst}. They were charged when they were
 * taken, so nothing is handed out twice and the long-run rate is exact. A request is refused only if neither the bucket nor
 * any stripe has the permits for it; a batch that another thread is just taking from the bucket is in neither. Limits too small to share ({@code share × burst} less than two permits for each of twice
 * as many stripes as there are processors) are decided one by one, exactly.
 */
public final class StripedGate {

    private static final long MOST_AT_ONCE = 10_000;

    private final Stripes stripes;

    StripedGate(LocalGate passage, TokenBucket limit, double share, int processors) {
        Expect.share(share);
        long outstanding = (long) (limit.capacity() * share);
        this.stripes = new Stripes(processors, outstanding, MOST_AT_ONCE, passage::tryPass);
    }

    /** Whether so many permits may pass at once; takes them if so. */
    public boolean tryPass(long permits) {
        Expect.range("permits", permits, 1, Limit.MAX_PERMITS);
        return stripes.take(permits);
    }
}
