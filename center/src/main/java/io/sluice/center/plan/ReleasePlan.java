package io.sluice.center.plan;

/**
 * The plan of a release.
 *
 * @param to the nodes or callers that receive the release first
 * @param verdict the plan by which its trial is judged; not used without a trial
 * @param automatic whether a verdict acts; otherwise it is only displayed
 */
public record ReleasePlan(Target to, VerdictPlan verdict, boolean automatic) {

    /** A release to all nodes immediately. */
    public static final ReleasePlan ALL = of(new Target.All());

    /** Returns a plan with the default verdict plan, whose verdicts do not act. */
    public static ReleasePlan of(Target to) {
        return new ReleasePlan(to, VerdictPlan.usual(to), false);
    }
}
