package io.sluice.rules;

import io.sluice.core.Limit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The headers that an answer carries, whatever the front door. Times are whole seconds, rounded up. */
public final class AnswerHeaders {

    private static final long MICROS = 1_000_000;

    private AnswerHeaders() {}

    /**
     * {@code RateLimit-Policy} and {@code RateLimit} for the reported limit, and {@code Retry-After} for a refusal that
     * waiting helps. The {@code t} of {@code RateLimit} is when to come back if refused, when the limit is unused if not.
     */
    public static Map<String, String> of(Ruling.Settled ruling) {
        Map<String, String> headers = new LinkedHashMap<>();
        Ruling.Reported reported = ruling.reported();
        if (reported != null) {
            Limit limit = reported.limit();
            String name = '"' + reported.id() + '"';
            long window = (limit.windowMicros() + MICROS - 1) / MICROS;
            headers.put("RateLimit-Policy", name + ";q=" + limit.capacity() + (window == 0 ? "" : ";w=" + window));
            Optional<Duration> until = ruling.allowed() ? reported.resetAfter() : ruling.retryAfter();
            headers.put(
                    "RateLimit",
                    name + ";r=" + reported.remaining()
                            + until.map(span -> ";t=" + seconds(span)).orElse(""));
        }
        if (!ruling.allowed() && !ruling.looked()) {
            ruling.retryAfter().ifPresent(span -> headers.put("Retry-After", Long.toString(seconds(span))));
        }
        return headers;
    }

    private static long seconds(Duration span) {
        return span.getSeconds() + (span.getNano() > 0 ? 1 : 0);
    }
}
