package io.sluice.center.command;

import io.sluice.center.edit.Edits;
import io.sluice.center.plan.ReleasePlan;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A mutation of the center's state, as it was asked for. Immutable. {@link CommandLog} stores each of them with its actor and
 * time.
 */
public sealed interface Command {

    /** Returns its name in the log, such as {@code open_change}. Stored rows have it, so it never changes. */
    String kind();

    /** Returns why. May be empty only where the API does not ask for a reason. */
    String reason();

    /**
     * Returns what must not have changed for the command to act: the base version, the revision of a change, or the version in
     * force; 0 if it acts on anything.
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
     * @param rejected whether somebody else than the author closes it
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
     * @param digest of the rules that result
     * @param at when, in milliseconds since the epoch; 0 for at once
     */
    record ReleaseChange(long change, String reason, String digest, OptionalLong base, ReleasePlan plan, long at)
            implements Command {

        @Override
        public String kind() {
            return "release_change";
        }

        /** Creates a release to all nodes at once. */
        public ReleaseChange(long change, String reason, String digest, OptionalLong base) {
            this(change, reason, digest, base, ReleasePlan.ALL, 0);
        }

        @Override
        public long expected() {
            return base.orElse(0);
        }
    }

    /** Releases a change whose time has come. */
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
     * Moves a trial to its next step, or to all after the last one.
     *
     * @param all whether to skip the remaining steps
     * @param step the step that the caller saw, if it insists on one
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

    /** Ends a trial and releases the rules before it again, or cancels a schedule. */
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

    /** Makes the verdicts on a trial act, or only show. */
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
     * Gives one caller other numbers for a while. The caller is not named here, because commands are never deleted.
     *
     * @param id of the override, which names the caller
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
     * Makes rules refuse nothing for a while.
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
     * @param current the version in force, if the caller insists on it
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
     * Takes over rules that were not released here: sample rules at the first start, or a snapshot from Redis.
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

    /** Writes the mirror hashes in Redis again, because something else wrote to them. */
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
     * Something that was done to accounts, tokens, approvals or settings. It never has a secret.
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
