package io.sluice.center.retention;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A kind of data.
 *
 * @param where {@code center}, {@code node}, {@code redis} or {@code outside}
 * @param personal whether it can name a person
 * @param time how long it stays, as an ISO 8601 duration; null if that is not a fixed time
 * @param howLong the same in words
 * @param ends what removes it
 * @param erased what an erasure removes
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

    /** {@link Duration#toString} has no days. */
    private static String iso(Duration time) {
        return time.equals(Duration.ofDays(time.toDays())) ? "P" + time.toDays() + "D" : time.toString();
    }
}
