package io.sluice.center.retention;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A kind of data.
 *
 * @param where {@code center}, {@code node}, {@code redis} or {@code outside}
 * @param personal whether the data can name a person
 * @param time the time for which the data is kept, as an ISO 8601 duration; null if it is not fixed
 * @param howLong the same time in words
 * @param ends the actor and the event that remove the data
 * @param erased the data that an erasure removes
 */
public record DataKindReply(
        String id,
        String where,
        String what,
        boolean personal,
        @Nullable String time,
        String howLong,
        String ends,
        String erased) {

    static DataKindReply of(DataKind kind) {
        return new DataKindReply(
                kind.id(),
                kind.place().word(),
                kind.what(),
                kind.personal(),
                kind.time().map(DataKindReply::iso).orElse(null),
                kind.howLong(),
                kind.ends(),
                kind.erased());
    }

    /** Writes a duration with days, which {@link Duration#toString} does not use. */
    private static String iso(Duration time) {
        return time.equals(Duration.ofDays(time.toDays())) ? "P" + time.toDays() + "D" : time.toString();
    }
}
