package io.sluice.http.request;

import java.math.BigDecimal;
import java.net.URL;
import java.time.Instant;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/** Converts claims of verified tokens to attribute values. */
public final class ClaimText {

    private ClaimText() {}

    /**
     * Returns the text of a claim. Text, numbers, booleans, URLs and times (in seconds since the epoch) have a text; lists and
     * objects do not.
     */
    public static @Nullable String of(@Nullable Object value) {
        if (value instanceof Date moment) {
            return of(moment.toInstant());
        }
        if (value instanceof Instant moment) {
            return Long.toString(moment.getEpochSecond());
        }
        if (value instanceof Double || value instanceof Float || value instanceof BigDecimal) {
            return decimal(value.toString());
        }
        return value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof URL
                ? value.toString()
                : null;
    }

    private static @Nullable String decimal(String text) {
        try {
            return new BigDecimal(text).stripTrailingZeros().toPlainString();
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
