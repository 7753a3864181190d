package io.sluice.center.plan;

/**
 * What a release is asked to do.
 *
 * @param verdict how its trial is judged; not used without a trial
 * @param automatic whether a verdict acts; otherwise it is only shown
 */
public record ReleasePlan(Target to, VerdictPlan verdict, boolean automatic) {

    /** To all at once. */
    public static final ReleasePlan ALL = of(new Target.All());

    /** Returns a plan whose trial is judged as usual, without acting. */
    public static ReleasePlan of(Target to) {
        return new ReleasePlan(to, VerdictPlan.usual(to), false);
    }
}
