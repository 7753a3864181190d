package io.sluice.core.local;

import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Verdict;

/** A gate whose threads do not contend. See {@link LocalEngine.Builder#stripedGates} for its accuracy. */
final class StripedGate implements Gate {

    private static final long MOST_AT_ONCE = 10_000;

    private final Gate exact;
    private final Stripes stripes;

    /**
     * @param outstanding the maximum number of permits that are taken from the count in advance
     */
    StripedGate(Gate exact, long outstanding, int processors) {
        this.exact = exact;
        this.stripes = new Stripes(processors, outstanding, MOST_AT_ONCE, exact::tryPass);
    }

    @Override
    public boolean tryPass(long permits) {
        Expect.range("permits", permits, 1, Limit.MAX_PERMITS);
        return stripes.take(permits);
    }

    /**
     * Asks the count itself, and takes permits from the stripes only if it refuses. Permits from the stripes cannot be given
     * back.
     */
    @Override
    public Verdict pass(long permits) {
        Verdict verdict = exact.pass(permits);
        return verdict.fits() || !stripes.takeOfAny(permits)
                ? verdict
                : new Verdict(true, permits, verdict.remaining(), 0, verdict.resetAfterMicros(), 0, Verdict.FINAL);
    }
}
