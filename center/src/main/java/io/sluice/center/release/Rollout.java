package io.sluice.center.release;

import io.sluice.center.plan.Target;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.TrialScope;
import java.util.Optional;

/**
 * The delivery of a version to the nodes.
 *
 * @param revision the number that rises with each change of the other fields
 * @param version the version; 0 while it is only scheduled
 * @param startedAt the start in milliseconds since the epoch
 * @param endedAt the end in milliseconds since the epoch; 0 while it is running
 * @param nodes the acknowledgements of the nodes at the end, as JSON; empty while it is running
 * @param order the requested release
 * @param progress the progress of its trial
 */
public record Rollout(
        long id,
        long revision,
        long version,
        RolloutState state,
        long startedAt,
        long endedAt,
        String nodes,
        ReleaseOrder order,
        Progress progress) {

    private static final int ALL = 100;

    /**
     * The progress of a trial.
     *
     * @param replaces the version in force when the trial started; 0 without a trial
     * @param attribute the attribute that distinguishes callers; empty unless callers are split
     * @param key the key of the split; empty unless callers are split
     * @param step the position among the steps of the plan; {@link #WATCHING} before the first
     * @param stepAt the start of the step, in milliseconds since the epoch
     * @param verdict the last verdict
     * @param problem the reason why a schedule was not released; empty if there is none
     * @param successor the rollout that ended the trial; 0 if none did
     */
    public record Progress(
            long replaces,
            String attribute,
            String key,
            int step,
            long stepAt,
            Optional<TrialVerdict> verdict,
            String problem,
            long successor) {

        /** The step in which both sides are counted and no caller tries the version yet. */
        static final int WATCHING = -1;

        static final Progress NONE = new Progress(0, "", "", 0, 0, Optional.empty(), "", 0);

        static Progress of(long replaces, String attribute, String key, boolean watching, long at) {
            return new Progress(replaces, attribute, key, watching ? WATCHING : 0, at, Optional.empty(), "", 0);
        }

        Progress nextStep(long at) {
            return new Progress(replaces, attribute, key, step + 1, at, Optional.empty(), "", 0);
        }

        Progress with(TrialVerdict next) {
            return new Progress(replaces, attribute, key, step, stepAt, Optional.of(next), problem, successor);
        }

        Progress failed(String why) {
            return new Progress(replaces, attribute, key, step, stepAt, verdict, why, successor);
        }

        Progress endedBy(long rollout) {
            return new Progress(replaces, attribute, key, step, stepAt, verdict, problem, rollout);
        }
    }

    /** Returns whether this is a running trial. */
    public boolean isTrial() {
        return state == RolloutState.TRIAL || state == RolloutState.HOLDING;
    }

    /** Returns whether its trial has another step before the release to all. */
    public boolean hasNextStep() {
        return progress.step() + 1 < order.plan().to().steps().size();
    }

    /** Returns the share of the current step, in percent. */
    public int share() {
        var steps = order.plan().to().steps();
        return steps.isEmpty() ? ALL : steps.get(Math.max(0, progress.step()));
    }

    /** Returns whether both sides are only counted and no caller tries the version yet. */
    public boolean isWatching() {
        return progress.step() == Progress.WATCHING;
    }

    /** Returns the callers or nodes that try the version now; empty unless the trial compares two sides. */
    public Optional<TrialScope> scope() {
        Target to = order.plan().to();
        if (!isTrial()) {
            return Optional.empty();
        }
        if (to instanceof Target.Nodes) {
            return Optional.of(new TrialScope.Nodes(share()));
        }
        if (to instanceof Target.Callers) {
            CallerSplit split = CallerSplit.share(progress.attribute(), progress.key(), share());
            return Optional.of(new TrialScope.Callers(isWatching() ? split.watching() : split));
        }
        return to instanceof Target.Named named
                ? Optional.of(
                        new TrialScope.Callers(CallerSplit.named(progress.attribute(), progress.key(), named.values())))
                : Optional.empty();
    }

    Rollout with(RolloutState next, Progress changed) {
        return new Rollout(id, revision, version, next, startedAt, endedAt, nodes, order, changed);
    }

    Rollout numbered(long number) {
        return new Rollout(id, revision, number, state, startedAt, endedAt, nodes, order, progress);
    }

    Rollout ended(RolloutState end, long at) {
        return new Rollout(id, revision, version, end, startedAt, at, nodes, order, progress);
    }

    Rollout automatic(boolean automatic) {
        return new Rollout(
                id, revision, version, state, startedAt, endedAt, nodes, order.automatic(automatic), progress);
    }
}
