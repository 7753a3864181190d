package io.sluice.center.release;

import io.sluice.center.plan.ReleasePlan;
import java.util.OptionalLong;

/**
 * The order of a release and its author. A scheduled release is carried out later from this order.
 *
 * @param change the change to release; 0 if there is none
 * @param digest the digest of the resulting rules
 * @param base the version that has to be in force, if the caller requires one
 * @param firesAt the time of the release in milliseconds since the epoch; 0 for an immediate release
 */
public record ReleaseOrder(
        long change, String actor, String reason, String digest, OptionalLong base, long firesAt, ReleasePlan plan) {

    /** Returns the order of a version that does not release a change. */
    static ReleaseOrder of(String actor, String reason, String digest) {
        return new ReleaseOrder(0, actor, reason, digest, OptionalLong.empty(), 0, ReleasePlan.ALL);
    }

    ReleaseOrder automatic(boolean automatic) {
        return new ReleaseOrder(
                change, actor, reason, digest, base, firesAt, new ReleasePlan(plan.to(), plan.verdict(), automatic));
    }
}
