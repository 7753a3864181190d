package io.sluice.center.release;

import io.sluice.center.plan.ReleasePlan;
import java.util.OptionalLong;

/**
 * What was asked for, and by whom. A schedule is released by it later.
 *
 * @param change the change to release; 0 if there is none
 * @param digest of the rules that result
 * @param base the version that has to be in force, if the caller insists on one
 * @param firesAt when it is to be released, in milliseconds since the epoch; 0 for at once
 */
public record ReleaseOrder(
        long change, String actor, String reason, String digest, OptionalLong base, long firesAt, ReleasePlan plan) {

    /** Returns the order of a version that no change is behind. */
    static ReleaseOrder of(String actor, String reason, String digest) {
        return new ReleaseOrder(0, actor, reason, digest, OptionalLong.empty(), 0, ReleasePlan.ALL);
    }

    ReleaseOrder automatic(boolean automatic) {
        return new ReleaseOrder(
                change, actor, reason, digest, base, firesAt, new ReleasePlan(plan.to(), plan.verdict(), automatic));
    }
}
