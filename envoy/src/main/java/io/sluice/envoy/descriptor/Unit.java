package io.sluice.envoy.descriptor;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.sluice.core.limit.Limit;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** The units of the protocol, with the same lengths as in the reference service. */
public enum Unit {
    SECOND(Duration.ofSeconds(1)),
    MINUTE(Duration.ofMinutes(1)),
    HOUR(Duration.ofHours(1)),
    DAY(Duration.ofDays(1)),
    WEEK(Duration.ofDays(7)),
    MONTH(Duration.ofDays(30)),
    YEAR(Duration.ofDays(365));

    private static final Unit[] ALL = values();

    private final Duration length;
    private final long micros;
    private final RateLimitResponse.RateLimit.Unit answered;

    Unit(Duration length) {
        this.length = length;
        this.micros = length.toSeconds() * 1_000_000;
        this.answered = RateLimitResponse.RateLimit.Unit.valueOf(name());
    }

    public Duration length() {
        return length;
    }

    /** Returns the unit with this name. Case is ignored. */
    public static Optional<Unit> named(String word) {
        String capitals = word.toUpperCase(Locale.ROOT);
        for (Unit unit : ALL) {
            if (unit.name().equals(capitals)) {
                return Optional.of(unit);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the unit that is exactly as long as the limit's window, otherwise {@code UNKNOWN}. Concurrency limits have no
     * window.
     */
    public static RateLimitResponse.RateLimit.Unit of(Limit limit) {
        for (Unit unit : ALL) {
            if (unit.micros == limit.windowMicros() && !limit.kind().holds()) {
                return unit.answered;
            }
        }
        return RateLimitResponse.RateLimit.Unit.UNKNOWN;
    }
}
