package io.sluice.spring.client;

import io.sluice.core.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The pauses that third parties asked for. A pause belongs to a limit and applies to all clients with this limit. Pauses are kept in this
 * process and their number is bounded. Thread-safe.
 */
final class Pauses {

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST = 10_000;
    private static final int MOST_DIGITS = 9;

    private final Clock clock;
    private final Map<Key, Long> untilNanos = new ConcurrentHashMap<>();

    Pauses(Clock clock) {
        this.clock = clock;
    }

    private record Key(String limit, @Nullable String key) {}

    /** Returns the time that a call has to pause, usually zero. */
    Duration left(LimitedCalls calls, OutboundCall call) {
        if (untilNanos.isEmpty()) {
            return Duration.ZERO;
        }
        Key key = new Key(calls.name(), calls.pauseKey(call));
        Long until = untilNanos.get(key);
        if (until == null) {
            return Duration.ZERO;
        }
        long left = until - clock.nanoTime();
        if (left <= 0) {
            untilNanos.remove(key, until);
            return Duration.ZERO;
        }
        return Duration.ofNanos(left);
    }

    /** Starts a pause from a {@code Retry-After} header. An unreadable header is ignored. */
    void heard(LimitedCalls calls, OutboundCall call, @Nullable String retryAfter) {
        Duration pause = retryAfter == null ? Duration.ZERO : span(retryAfter.trim());
        if (pause.isNegative() || pause.isZero()) {
            return;
        }
        if (untilNanos.size() >= MOST) {
            long now = clock.nanoTime();
            untilNanos.values().removeIf(until -> until - now <= 0);
        }
        if (untilNanos.size() < MOST) {
            long until = clock.nanoTime() + (pause.compareTo(LONGEST) < 0 ? pause : LONGEST).toNanos();
            untilNanos.merge(new Key(calls.name(), calls.pauseKey(call)), until, (a, b) -> a - b > 0 ? a : b);
        }
    }

    private Duration span(String retryAfter) {
        if (!retryAfter.isEmpty() && retryAfter.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return retryAfter.length() > MOST_DIGITS ? LONGEST : Duration.ofSeconds(Long.parseLong(retryAfter));
        }
        try {
            Instant then = ZonedDateTime.parse(retryAfter, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Duration.between(Instant.EPOCH.plus(clock.epochMicros(), ChronoUnit.MICROS), then);
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }
}
