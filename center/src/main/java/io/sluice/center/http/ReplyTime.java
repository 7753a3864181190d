package io.sluice.center.http;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times in replies. */
public final class ReplyTime {

    private ReplyTime() {}

    /** Returns a time; null for 0, which stands for no time. */
    public static @Nullable Instant of(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }
}
