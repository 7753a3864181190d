package io.sluice.rules.cost;

import io.sluice.core.limit.Limit;
import io.sluice.rules.yaml.Digits;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The part of a limit that a request leaves for other requests: it passes only if at least this part remains after it.
 * Immutable. Prints as documents write it: {@code 20%} or {@code 500}.
 */
public sealed interface Keep {

    /** Returns the permits that must remain, rounded up in favour of the other requests. */
    long permits(Limit limit);

    /** Parses {@code 20%}, or a whole number. Returns empty for any other text. */
    static Optional<Keep> parse(String text) {
        boolean isShare = text.endsWith("%");
        OptionalLong number = Digits.whole(isShare ? text.substring(0, text.length() - 1) : text);
        if (number.isEmpty() || text.startsWith("-") || number.getAsLong() > (isShare ? 100 : Limit.MAX_CAPACITY)) {
            return Optional.empty();
        }
        return Optional.of(isShare ? new Share((int) number.getAsLong()) : new Permits(number.getAsLong()));
    }

    /**
     * A part of the limit's capacity.
     *
     * @param percent the percentage, 0 to 100
     */
    record Share(int percent) implements Keep {

        public Share {
            if (percent < 0 || percent > 100) {
                throw new IllegalArgumentException("keep: " + percent + "% (expected: 0%..100%)");
            }
        }

        @Override
        public long permits(Limit limit) {
            return (limit.capacity() * percent + 99) / 100;
        }

        @Override
        public String toString() {
            return percent + "%";
        }
    }

    /**
     * A number of permits.
     *
     * @param permits the number of permits, 0 to {@link Limit#MAX_CAPACITY}
     */
    record Permits(long permits) implements Keep {

        public Permits {
            if (permits < 0 || permits > Limit.MAX_CAPACITY) {
                throw new IllegalArgumentException("keep: " + permits + " (expected: 0.." + Limit.MAX_CAPACITY + ")");
            }
        }

        @Override
        public long permits(Limit limit) {
            return permits;
        }

        @Override
        public String toString() {
            return Long.toString(permits);
        }
    }
}
