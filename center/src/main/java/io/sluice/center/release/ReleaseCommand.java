package io.sluice.center.release;

import io.sluice.center.command.Command;
import io.sluice.center.plan.PlanText;
import io.sluice.center.plan.ReleasePlan;
import java.time.Instant;
import java.util.OptionalLong;
import tools.jackson.databind.node.ObjectNode;

/** The commands on releases, rollouts and trials. */
public sealed interface ReleaseCommand extends Command {

    /**
     * Releases a change, or schedules its release.
     *
     * @param digest the digest of the resulting rules
     * @param at the time of the release in milliseconds since the epoch; 0 to release immediately
     */
    record ReleaseChange(long change, String reason, String digest, OptionalLong base, ReleasePlan plan, long at)
            implements ReleaseCommand {

        @Override
        public String kind() {
            return "release_change";
        }

        /** Creates a release to all nodes without a schedule. */
        public ReleaseChange(long change, String reason, String digest, OptionalLong base) {
            this(change, reason, digest, base, ReleasePlan.ALL, 0);
        }

        @Override
        public long expected() {
            return base.orElse(0);
        }

        @Override
        public void write(ObjectNode body) {
            body.put("change", change).put("digest", digest);
            PlanText.log(plan, body);
            if (at != 0) {
                body.put("at", Instant.ofEpochMilli(at).toString());
            }
        }
    }

    /** Releases a change whose scheduled time has come. */
    record FireSchedule(long rollout, long change, String reason) implements ReleaseCommand {

        @Override
        public String kind() {
            return "fire_schedule";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("rollout", rollout).put("change", change);
        }
    }

    /**
     * Moves a trial to its next step, or to all after the last step.
     *
     * @param all whether to skip the remaining steps
     * @param step the step that the caller saw, if the caller requires that step
     */
    record PromoteTrial(long rollout, String reason, boolean all, OptionalLong step) implements ReleaseCommand {

        @Override
        public String kind() {
            return "promote_trial";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("rollout", rollout).put("all", all);
        }
    }

    /** Ends a trial and releases the previous rules again, or cancels a schedule. */
    record AbortRollout(long rollout, String reason) implements ReleaseCommand {

        @Override
        public String kind() {
            return "abort_rollout";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("rollout", rollout);
        }
    }

    /** Makes the verdicts on a trial automatic, or only displays them. */
    record SetVerdict(long rollout, boolean automatic, String reason) implements ReleaseCommand {

        @Override
        public String kind() {
            return "set_verdict";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("rollout", rollout).put("automatic", automatic);
        }
    }

    /**
     * Releases the content of an earlier version again.
     *
     * @param current the version in force, if the caller requires that version
     */
    record RollBack(long to, String reason, OptionalLong current) implements ReleaseCommand {

        @Override
        public String kind() {
            return "roll_back";
        }

        @Override
        public long expected() {
            return current.orElse(0);
        }

        @Override
        public void write(ObjectNode body) {
            body.put("to", to);
        }
    }

    /**
     * Takes over rules that were not released by this center: sample rules at the first start, or a snapshot from Redis.
     *
     * @param version the number of the snapshot
     */
    record TakeOver(long version, String digest, String reason) implements ReleaseCommand {

        @Override
        public String kind() {
            return "take_over";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("version", version).put("digest", digest);
        }
    }

    /** Writes the mirror hashes in Redis again, because another program wrote to them. */
    record RepairMirror(String reason) implements ReleaseCommand {

        @Override
        public String kind() {
            return "repair_mirror";
        }
    }
}
