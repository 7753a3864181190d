package io.sluice.redis.store;

import java.util.Optional;

/**
 * The result of an attempt to remove the counts of a subject from Redis.
 *
 * @param removed the number of counts that this attempt removed
 * @param unfinished the reason why counts may be left, as a part of a sentence that does not name the subject; empty if none are left.
 *     Another attempt may succeed
 */
public record ForgottenCounts(long removed, Optional<String> unfinished) {

    /** The reason while another process does the work. If that process dies, an attempt after a minute takes over. */
    public static final String ELSEWHERE = "another process is removing them";

    public static ForgottenCounts all(long removed) {
        return new ForgottenCounts(removed, Optional.empty());
    }

    public static ForgottenCounts some(long removed, String unfinished) {
        return new ForgottenCounts(removed, Optional.of(unfinished));
    }
}
