package io.sluice.core.limit;

import java.time.Duration;
import java.time.ZoneId;

/**
 * How much may pass: an immutable value, built in one expression that cannot build nonsense.
 *
 * <pre>{@code
 * Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100);
 * Limit logins = Limit.named("login").slidingLog(5, Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>A limit says nothing of whose requests it counts; that is the key, given with each decision. A count belongs to the
 * limit's {@linkplain #name() name}, its {@linkplain #shape() shape} and the key. Two limits that agree in these share
 * their counts, whatever their numbers: so a change of numbers keeps what was used.
 */
public sealed interface Limit permits TokenBucket, LeakyBucket, FixedWindow, SlidingWindow, SlidingLog, Concurrency {

    /** The largest burst or limit. */
    long MAX_CAPACITY = 1_000_000_000_000L;

    /** The most permits that one request may ask for. */
    long MAX_PERMITS = 1_000_000_000L;

    /** Starts a limit. Names are 1 to 256 letters, digits, {@code -}, {@code _} and {@code .}. */
    static Named named(String name) {
        return new Named(name);
    }

    /** What the counts are filed under, together with shape and key. */
    String name();

    /** The algorithm as rule documents spell it. */
    String algorithm();

    /** What a count cannot survive a change of: the algorithm, and its window where it has one. No colons in it. */
    String shape();

    /** The most permits this limit can ever hand out at one moment; 0 refuses always. */
    long capacity();

    /** The window, or the time in which a rate refills its burst, in microseconds, rounded up. */
    long windowMicros();

    /** How far off a time slot may be that is handed out unless the caller wants it sooner; 0 where there are no slots. */
    default long maxWaitMicros() {
        return 0;
    }

    /**
     * The same limit with a part of its numbers, at least one permit unless it refuses always.
     *
     * @param share above 0, at most 1
     */
    Limit scaled(double share);

    /** A name, waiting for its algorithm. */
    record Named(String name) {

        private static final int LONGEST = 256;

        public Named {
            if (name.isEmpty() || name.length() > LONGEST || !name.chars().allMatch(Named::legal)) {
                String shown = name.length() > 40 ? name.substring(0, 40) + "…" : name;
                throw new IllegalArgumentException(
                        "name: \"" + shown + "\" (expected: 1 to 256 letters, digits, '-', '_', '.')");
            }
        }

        /** Continuous refill at {@code rate}, starting full; the burst is one second of the rate, at least 1. */
        public TokenBucket tokenBucket(Rate rate) {
            return new TokenBucket(name, rate, rate.permitsPerSecond());
        }

        /** Time slots at {@code rate}; as many permits may wait as flow in one second, at least 1. */
        public LeakyBucket leakyBucket(Rate rate) {
            return new LeakyBucket(name, rate, rate.permitsPerSecond(), null);
        }

        /** At most {@code limit} permits in each window; windows follow each other from the epoch. */
        public FixedWindow fixedWindow(long limit, Duration window) {
            return FixedWindow.of(name, limit, window);
        }

        /** At most {@code limit} permits in each day, week, month or year of {@code zone}. */
        public FixedWindow fixedWindow(long limit, Calendar calendar, ZoneId zone) {
            return FixedWindow.of(name, limit, calendar, zone);
        }

        /** At most {@code limit} permits in any span of {@code window}, counted in ten slices. */
        public SlidingWindow slidingWindow(long limit, Duration window) {
            return SlidingWindow.of(name, limit, window);
        }

        /** At most {@code limit} permits in any span of {@code window}, exactly, at the cost of an entry for each. */
        public SlidingLog slidingLog(long limit, Duration window) {
            return new SlidingLog(name, limit, window);
        }

        /** At most {@code limit} permits in flight, each taken back after {@code ttl} if its holder died. */
        public Concurrency concurrency(long limit, Duration ttl) {
            return new Concurrency(name, limit, ttl);
        }

        private static boolean legal(int c) {
            return c < 128 && (Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.');
        }
    }
}
