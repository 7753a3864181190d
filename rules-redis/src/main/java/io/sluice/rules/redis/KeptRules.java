package io.sluice.rules.redis;

import java.util.List;
import java.util.Optional;

/**
 * The findings and repairs of {@link RedisRulePublisher#keep}.
 *
 * @param obstacle why Redis cannot have the wanted rules; empty if it has them now
 * @param repaired one sentence for each key that had been lost or changed and was written again
 * @param foreign one sentence for each key that another program wrote and that stays as it is
 * @param isMirrorDue whether the rules in force are new, and their mirror could not be written completely
 * @param higherRevision the revision of adjustments in Redis that were not replaced, because an older revision never replaces a newer
 *     one; 0 if Redis has the wanted adjustments
 */
public record KeptRules(
        Optional<Obstacle> obstacle,
        List<String> repaired,
        List<String> foreign,
        boolean isMirrorDue,
        long higherRevision) {

    public KeptRules {
        repaired = List.copyOf(repaired);
        foreign = List.copyOf(foreign);
    }

    /**
     * Rules that the publisher did not release.
     *
     * @param version the highest version that another program released
     * @param why a sentence with the repair
     */
    public record Obstacle(long version, String why) {}
}
