package io.sluice.center.command;

import io.sluice.center.edit.Edits;
import io.sluice.center.plan.ReleasePlan;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A mutation of the center's state, as the caller requested it. Immutable. {@link CommandLog} stores each command with its actor and time.
 */
public sealed interface Command {

    /** Returns the name of the command in the log, such as {@code open_change}. Stored rows contain the name, so it never changes. */
    String kind();

    /** Returns the reason for the command. It is empty only where the API does not ask for a reason. */
    String reason();

    /**
     * Returns the state that must not have changed for the command to act: the base version, the revision of a change, or the version in
     * force; 0 if the command acts on any state.
     */
    long expected();

    /** Opens a change on a base version. */
    record OpenChange(String title, String reason, long base, Edits edits) implements Command {

        @Override
        public String kind() {
            return "open_change";
        }

        @Override
        public long expected() {
            return base;
        }
    }

    /** Replaces the content of an open change. */
    record EditChange(long change, long revision, String title, String reason, long base, Edits edits)
            implements Command {

        @Override
        public String kind() {
            return "edit_change";
        }

        @Override
        public long expected() {
            return revision;
        }
    }

    /** Moves an open change to the version in force. */
    record RebaseChange(long change, long revision, long base) implements Command {

        @Override
        public String kind() {
            return "rebase_change";
        }

        @Override
        public String reason() {
            return "";
        }

        @Override
        public long expected() {
            return revision;
        }
    }

    /**
     * Closes a change without releasing it.
     *
     * @param rejected whether a person other than the author closes the change
     */
    record CloseChange(long change, String reason, boolean rejected) implements Command {

        @Override
        public String kind() {
            return "close_change";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /**
     * Releases a change, or schedules its release.
     *
     * @param digest the digest of the resulting rules
     * @param at the time of the release in milliseconds since the epoch; 0 to release immediately
     */
    record ReleaseChange(long change, String reason, String digest, OptionalLong base, ReleasePlan plan, long at)
            implements Command {

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
    }

    /** Releases a change whose scheduled time has come. */
    record FireSchedule(long rollout, long change, String reason) implements Command {

        @Override
        public String kind() {
            return "fire_schedule";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /**
     * Moves a trial to its next step, or to all after the last step.
     *
     * @param all whether to skip the remaining steps
     * @param step the step that the caller saw, if the caller requires that step
     */
    record PromoteTrial(long rollout, String reason, boolean all, OptionalLong step) implements Command {

        @Override
        public String kind() {
            return "promote_trial";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /** Ends a trial and releases the previous rules again, or cancels a schedule. */
    record AbortRollout(long rollout, String reason) implements Command {

        @Override
        public String kind() {
            return "abort_rollout";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /** Makes the verdicts on a trial automatic, or only displays them. */
    record SetVerdict(long rollout, boolean automatic, String reason) implements Command {

        @Override
        public String kind() {
            return "set_verdict";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /**
     * Gives one caller other numbers for a limited time. The caller is not named here, because commands are never deleted.
     *
     * @param id the id of the override, which names the caller
     */
    record OverrideCaller(long id, String rule, String limit, String numbers, long until, String reason)
            implements Command {

        @Override
        public String kind() {
            return "override_caller";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /**
     * Makes rules refuse nothing for a limited time.
     *
     * @param rule the id of a rule, or {@code *} for all
     */
    record SwitchToShadow(long id, String rule, long until, String reason) implements Command {

        @Override
        public String kind() {
            return "switch_to_shadow";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /** Ends an override or a switch before it expires. */
    record EndAdjustment(long id, String reason) implements Command {

        @Override
        public String kind() {
            return "end_adjustment";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /**
     * Releases the content of an earlier version again.
     *
     * @param current the version in force, if the caller requires that version
     */
    record RollBack(long to, String reason, OptionalLong current) implements Command {

        @Override
        public String kind() {
            return "roll_back";
        }

        @Override
        public long expected() {
            return current.orElse(0);
        }
    }

    /**
     * Takes over rules that were not released by this center: sample rules at the first start, or a snapshot from Redis.
     *
     * @param version the number of the snapshot
     */
    record TakeOver(long version, String digest, String reason) implements Command {

        @Override
        public String kind() {
            return "take_over";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /** Writes the mirror hashes in Redis again, because another program wrote to them. */
    record RepairMirror(String reason) implements Command {

        @Override
        public String kind() {
            return "repair_mirror";
        }

        @Override
        public long expected() {
            return 0;
        }
    }

    /**
     * An action on accounts, tokens, approvals or settings. It never contains a secret.
     *
     * @param kind the name in the log, such as {@code create_account}
     * @param details numbers, texts, lists and maps
     */
    record Act(String kind, String reason, Map<String, ?> details) implements Command {

        @Override
        public long expected() {
            return 0;
        }
    }
}
