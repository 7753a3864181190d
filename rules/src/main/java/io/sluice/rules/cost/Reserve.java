package io.sluice.rules.cost;

import io.sluice.core.limit.Limit;
import io.sluice.rules.pattern.Attributes;
import java.math.BigDecimal;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The permits that a decision charges before the real figure is known. Immutable. */
public sealed interface Reserve {

    /**
     * Returns the permits to charge, 0 to {@link Limit#MAX_PERMITS}.
     *
     * @param asked the permits that the caller asks for
     */
    long permits(Attributes request, long asked);

    /** Returns the permits to charge for a request without the attribute; empty if they depend on the caller. */
    OptionalLong usual();

    /**
     * A fixed number of permits.
     *
     * @param permits the number of permits, 0 to {@link Limit#MAX_PERMITS}
     */
    record Fixed(long permits) implements Reserve {

        public Fixed {
            require("reserve", permits);
        }

        @Override
        public long permits(Attributes request, long asked) {
            return permits;
        }

        @Override
        public OptionalLong usual() {
            return OptionalLong.of(permits);
        }
    }

    /**
     * The value of an attribute of the request.
     *
     * @param name the name, in the spelling of {@link Attributes#normalisedName}
     * @param usual the permits if the request lacks the attribute, or if its value is not a whole number of 0 or more; if empty,
     *     the permits that the caller asks for
     */
    record Attribute(String name, OptionalLong usual) implements Reserve {

        private static final Pattern NUMBER = Pattern.compile("[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?");
        private static final int LONGEST = 64;
        private static final BigDecimal MOST = BigDecimal.valueOf(Limit.MAX_PERMITS);

        public Attribute {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("reserve: empty (expected: an attribute such as json.max_tokens)");
            }
            usual.ifPresent(permits -> require("default", permits));
        }

        @Override
        public long permits(Attributes request, long asked) {
            return said(request.get(name)).orElse(usual.orElse(asked));
        }

        /**
         * Reads the value in a request. A number above the maximum of a request counts as this maximum. {@code 1000.0} and {@code 1e3} are
         * 1000, as in answers, because many programs write numbers in these ways.
         */
        private static OptionalLong said(@Nullable String value) {
            if (value == null || value.isEmpty()) {
                return OptionalLong.empty();
            }
            if (!value.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return value.length() <= LONGEST && NUMBER.matcher(value).matches()
                        ? whole(new BigDecimal(value))
                        : OptionalLong.empty();
            }
            long permits = 0;
            for (int i = 0; i < value.length() && permits < Limit.MAX_PERMITS; i++) {
                permits = permits * 10 + value.charAt(i) - '0';
            }
            return OptionalLong.of(Math.min(permits, Limit.MAX_PERMITS));
        }

        private static OptionalLong whole(BigDecimal number) {
            if (number.compareTo(MOST) >= 0) {
                return OptionalLong.of(Limit.MAX_PERMITS);
            }
            BigDecimal shortest = number.stripTrailingZeros();
            return shortest.scale() <= 0 ? OptionalLong.of(shortest.longValueExact()) : OptionalLong.empty();
        }
    }

    private static void require(String name, long permits) {
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException(name + ": " + permits + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
    }
}
