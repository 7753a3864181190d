package io.sluice.center.govern.reply;

import io.sluice.center.version.Version;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A released version.
 *
 * @param trial whether it is or was on trial and has not been promoted
 */
public record VersionReply(
        long number,
        String digest,
        long rules,
        Instant releasedAt,
        String actor,
        String title,
        String reason,
        @Nullable Long change,
        @Nullable Long contentOf,
        long rollout,
        boolean trial) {

    public static VersionReply of(Version version) {
        return new VersionReply(
                version.number(),
                version.digest(),
                version.rules(),
                Instant.ofEpochMilli(version.releasedAt()),
                version.actor(),
                version.title(),
                version.reason(),
                orNull(version.changeId()),
                orNull(version.contentOf()),
                version.rollout(),
                version.trial());
    }

    /** Returns the same version with another number of rules. */
    public VersionReply counting(long seen) {
        return new VersionReply(
                number, digest, seen, releasedAt, actor, title, reason, change, contentOf, rollout, trial);
    }

    /** Returns the same version for a caller who must not learn who released it and why. */
    public VersionReply withoutStory(long seen) {
        return new VersionReply(number, digest, seen, releasedAt, "", "", "", null, contentOf, rollout, trial);
    }

    static @Nullable Long orNull(long number) {
        return number == 0 ? null : number;
    }
}
