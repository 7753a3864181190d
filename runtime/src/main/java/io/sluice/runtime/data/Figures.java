package io.sluice.runtime.data;

/**
 * The numbers of decided requests, by outcome. Immutable.
 *
 * @param allowed requests that passed
 * @param refused requests that were refused
 * @param shadowRefused requests that a shadow or candidate limit would have refused; these are also counted as allowed or refused
 * @param degraded requests that were decided without the shared store that they need; these are also counted as allowed or refused
 */
public record Figures(long allowed, long refused, long shadowRefused, long degraded) {

    public static final Figures NONE = new Figures(0, 0, 0, 0);

    public Figures {
        if (allowed < 0 || refused < 0 || shadowRefused < 0 || degraded < 0) {
            throw new IllegalArgumentException("figures: a negative number (expected: 0 or more)");
        }
    }

    /** Returns the number of decisions. */
    public long requests() {
        return allowed + refused;
    }

    public boolean isNone() {
        return allowed == 0 && refused == 0 && shadowRefused == 0 && degraded == 0;
    }

    public Figures plus(Figures other) {
        return new Figures(
                sum(allowed, other.allowed),
                sum(refused, other.refused),
                sum(shadowRefused, other.shadowRefused),
                sum(degraded, other.degraded));
    }

    /** A sum stops at a maximum, so that it can always be read. */
    private static long sum(long one, long other) {
        return Math.min(MOST, one + other);
    }

    public Figures minus(Figures earlier) {
        return new Figures(
                allowed - earlier.allowed,
                refused - earlier.refused,
                shadowRefused - earlier.shadowRefused,
                degraded - earlier.degraded);
    }

    void write(PackWriter pack) {
        pack.number(allowed).number(refused).number(shadowRefused).number(degraded);
    }

    static Figures read(PackReader pack) {
        return new Figures(pack.number(MOST), pack.number(MOST), pack.number(MOST), pack.number(MOST));
    }

    /** The maximum. Sums of a year stay far below it. */
    private static final long MOST = 1L << 48;
}
