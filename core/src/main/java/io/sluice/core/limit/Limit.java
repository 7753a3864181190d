package io.sluice.core.limit;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The number of permits that may pass, and its algorithm. A limit is an immutable value, built in one expression that rejects invalid
 * numbers.
 *
 * <pre>{@code
 * Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100);
 * Limit logins = Limit.named("login").slidingLog(5, Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>A limit does not define the callers that it counts; the key, which is given with each decision, does. A count belongs to the limit's
 * {@linkplain #name() name}, its {@linkplain #shape() shape} and the key. Two limits with the same name and shape share their counts, even
 * with different numbers. So changing the numbers of a limit keeps its counts.
 */
public sealed interface Limit permits TokenBucket, LeakyBucket, FixedWindow, SlidingWindow, SlidingLog, Concurrency {

    /** The largest burst or limit. */
    long MAX_CAPACITY = 1_000_000_000_000L;

    /** The maximum number of permits that one request may ask for. */
    long MAX_PERMITS = 1_000_000_000L;

    /** Starts a limit. A name has 1 to 256 letters, digits, {@code -}, {@code _} and {@code .}. */
    static Named named(String name) {
        return new Named(name);
    }

    /** Returns the name. Together with shape and key it identifies a count. */
    String name();

    /** Returns the algorithm. */
    Algorithm kind();

    /** Returns the algorithm as it is written in rule documents. */
    default String algorithm() {
        return kind().word();
    }

    /**
     * Returns the values of all parameters that are in force, in the order of {@link Parameter}. {@link Algorithm#limit} builds an equal
     * limit from them. The map is new, and the caller may change it.
     */
    Map<Parameter, Object> parameters();

    /** Returns {@link #parameters()} without parameters that would have the same value if they were not given. */
    default Map<Parameter, Object> givenParameters() {
        Map<Parameter, Object> given = parameters();
        for (Parameter parameter : List.copyOf(given.keySet())) {
            if (parameter.hasDefault()) {
                Object value = given.remove(parameter);
                if (!equals(kind().limit(name(), given))) {
                    given.put(parameter, value);
                }
            }
        }
        return given;
    }

    /**
     * Returns this limit with another value of one of its {@link #parameters()}. All other parameters stay.
     *
     * @throws IllegalArgumentException if this limit does not have the parameter, or cannot have the value
     */
    default Limit with(Parameter parameter, Object value) {
        Map<Parameter, Object> changed = parameters();
        if (changed.put(parameter, value) == null) {
            throw new IllegalArgumentException(
                    parameter.word() + ": not a parameter of " + this + " (expected: one that it has)");
        }
        return kind().limit(name(), changed);
    }

    /** Returns this limit under another name. */
    default Limit withName(String name) {
        return kind().limit(name, parameters());
    }

    /**
     * Returns the part of the limit that a count depends on: the algorithm and its window, if it has one. A change of the shape
     * starts a new count. Contains no colons.
     */
    String shape();

    /** Returns the maximum number of permits that this limit can ever grant at one moment; a limit of 0 always refuses. */
    long capacity();

    /** Returns the window, or the time in which a rate refills its burst, in microseconds, rounded up. */
    long windowMicros();

    /** Returns the maximum time until a time slot, unless the caller asks for an earlier slot; 0 if the limit has no slots. */
    default long maxWaitMicros() {
        return 0;
    }

    /** Returns the rate, or null if the limit has a window or holds permits. */
    default @Nullable Rate rate() {
        return null;
    }

    /** Returns the rate as the fraction that all engines use for their arithmetic, or null if the limit has no rate. */
    default @Nullable Pace pace() {
        return null;
    }

    /** Returns the beginnings and ends of the windows, or null if the limit has no windows that follow each other. */
    default @Nullable Windows windows() {
        return null;
    }

    /** Returns whether the windows follow the calendar of a zone. */
    default boolean followsCalendar() {
        Windows windows = windows();
        return windows != null && !windows.areEven();
    }

    /** Returns the length of a slice of the window, or 0 if the window is not divided. */
    default long sliceMicros() {
        return 0;
    }

    /** Returns whether the use is estimated instead of counted. */
    default boolean weighted() {
        return false;
    }

    /**
     * Returns this limit with a share of its numbers: at least one permit, unless this limit always refuses.
     *
     * @param share above 0, at most 1
     */
    Limit scaled(double share);

    /** A limit that has a name and still needs an algorithm. */
    record Named(String name) {

        private static final int LONGEST = 256;

        public Named {
            if (name.isEmpty() || name.length() > LONGEST || !name.chars().allMatch(Named::legal)) {
                String shown = name.length() > 40 ? name.substring(0, 40) + "…" : name;
                throw new IllegalArgumentException(
                        "name: \"" + shown + "\" (expected: 1 to 256 letters, digits, '-', '_', '.')");
            }
        }

        /** Refills continuously at {@code rate} and starts full. The burst is one second of the rate, at least 1. */
        public TokenBucket tokenBucket(Rate rate) {
            return new TokenBucket(name, rate, rate.permitsPerSecond(), 0);
        }

        /** Hands out time slots at {@code rate}. As many permits may wait as flow in one second, at least 1. */
        public LeakyBucket leakyBucket(Rate rate) {
            return new LeakyBucket(name, rate, rate.permitsPerSecond(), null);
        }

        /** Allows at most {@code limit} permits in each window. Windows follow each other from the epoch. */
        public FixedWindow fixedWindow(long limit, Duration window) {
            return FixedWindow.of(name, limit, window);
        }

        /** Allows at most {@code limit} permits in each day, week, month or year of {@code zone}. */
        public FixedWindow fixedWindow(long limit, Calendar calendar, ZoneId zone) {
            return FixedWindow.of(name, limit, calendar, zone);
        }

        /** Allows at most {@code limit} permits in any span of {@code window}, counted in ten slices. */
        public SlidingWindow slidingWindow(long limit, Duration window) {
            return SlidingWindow.of(name, limit, window);
        }

        /**
         * Allows at most {@code limit} permits in any span of {@code window}. Exact, but stores an entry for each admission.
         */
        public SlidingLog slidingLog(long limit, Duration window) {
            return new SlidingLog(name, limit, window);
        }

        /** Allows at most {@code limit} permits in flight. A permit expires after {@code ttl} if its holder died. */
        public Concurrency concurrency(long limit, Duration ttl) {
            return new Concurrency(name, limit, ttl);
        }

        private static boolean legal(int c) {
            return c < 128 && (Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.');
        }
    }
}
