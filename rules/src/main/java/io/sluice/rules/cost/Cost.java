package io.sluice.rules.cost;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.yaml.Fields;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The cost of a request under a limit. A limit without a cost charges the permits that the caller asks for. Immutable.
 *
 * <p>A limit that holds permits or gives out time slots has no cost, because neither can be settled afterwards.
 */
public sealed interface Cost {

    /**
     * Returns the permits that a decision charges.
     *
     * @param asked the permits that the caller asks for
     */
    long permits(Attributes request, long asked);

    /** Returns the attribute of the request that contains the cost; empty if there is none. */
    default Optional<String> attribute() {
        return Optional.empty();
    }

    /** Returns the way to settle the charge; empty if the charge stays as it is. */
    default Optional<Settling> settling() {
        return Optional.empty();
    }

    /** Returns whether permits of a limit can be settled afterwards. Held permits and time slots cannot. */
    static boolean canSettle(Limit limit) {
        return limit.kind().settles();
    }

    /**
     * Refuses a limit that cannot have this cost.
     *
     * @throws IllegalArgumentException with the complete error message
     */
    default void check(Limit limit) {
        if (!canSettle(limit)) {
            throw new IllegalArgumentException(refused(limit.kind()));
        }
    }

    /** Returns the error message for a cost of an algorithm that cannot settle it. */
    static String refused(Algorithm algorithm) {
        List<String> others = Arrays.stream(Algorithm.values())
                .filter(Algorithm::settles)
                .map(Algorithm::word)
                .toList();
        return "cost: not allowed with " + algorithm.word() + " (expected: " + Fields.anyOf(others) + ")";
    }

    /**
     * The decision charges an estimate. Settling replaces the estimate by the real figure.
     *
     * @param reserve the estimate
     * @param settling the source of the real figure; empty if the estimate stays as it is
     */
    record Reserved(Reserve reserve, Optional<Settling> settling) implements Cost {

        public Reserved {
            if (settling.isEmpty() && reserve instanceof Reserve.Fixed fixed && fixed.permits() == 0) {
                throw new IllegalArgumentException(
                        "reserve: 0 without settle (expected: 1 or more, or settle; such a limit would count nothing)");
            }
        }

        @Override
        public long permits(Attributes request, long asked) {
            return reserve.permits(request, asked);
        }

        @Override
        public Optional<String> attribute() {
            return reserve instanceof Reserve.Attribute own ? Optional.of(own.name()) : Optional.empty();
        }
    }

    /** The call reports usage, which is charged in any case, even into debt, and the call passes. */
    record Always() implements Cost {

        @Override
        public long permits(Attributes request, long asked) {
            return asked;
        }

        @Override
        public void check(Limit limit) {
            Cost.super.check(limit);
            if (limit.maxWaitMicros() > 0) {
                throw new IllegalArgumentException(
                        "max_wait: set together with charge: always (expected: none; such a call never waits)");
            }
        }
    }

    /**
     * The source of the real figure.
     *
     * @param by the attribute of the answer that contains the figure
     * @param within the time after the decision in which it can be settled, {@link #SHORTEST} to {@link #LONGEST}
     */
    record Settling(AnswerAttribute by, Duration within) {

        public static final Duration DEFAULT_WITHIN = Duration.ofMinutes(5);
        public static final Duration SHORTEST = Duration.ofSeconds(1);
        public static final Duration LONGEST = Duration.ofDays(1);

        public Settling {
            if (within.compareTo(SHORTEST) < 0 || within.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("within: " + within + " (expected: 1s to 1d)");
            }
        }
    }
}
