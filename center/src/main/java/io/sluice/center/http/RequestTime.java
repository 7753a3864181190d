package io.sluice.center.http;

import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.yaml.Spans;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Times in requests. */
public final class RequestTime {

    private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

    private RequestTime() {}

    /** Returns a time, such as {@code 2027-01-01T00:00:00Z}; empty if it is missing. */
    public static Optional<Instant> at(JsonNode body, String name) {
        String text = RequestBody.string(body, name, "");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Instant time = OffsetDateTime.parse(text).toInstant();
            // Other times have no milliseconds that fit into 64 bits.
            if (time.isAfter(Instant.EPOCH) && time.isBefore(END)) {
                return Optional.of(time);
            }
        } catch (DateTimeException e) {
            // The text is refused like a time that is out of range.
        }
        throw RefusedException.invalid(name + ": not a time with its zone (expected: such as 2027-01-01T00:00:00Z)");
    }

    /** Returns an end time: {@code until} as a time, or {@code in} as a span from now. */
    public static Instant until(JsonNode body, Instant now) {
        Optional<Instant> until = at(body, "until");
        String in = RequestBody.string(body, "in", "");
        if (until.isPresent() == !in.isEmpty()) {
            throw RefusedException.invalid(
                    "until: missing or twice (expected: either \"until\" with a time, or \"in\" with"
                            + " a span such as \"2h\")");
        }
        if (until.isPresent()) {
            return until.get();
        }
        Duration span = Spans.of(in);
        if (span.isZero()) {
            throw RefusedException.invalid("in: not a span (expected: such as 30m, 2h or 1d)");
        }
        return now.plus(span);
    }
}
