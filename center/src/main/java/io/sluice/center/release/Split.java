package io.sluice.center.release;

import io.sluice.center.edit.ChangeReview;
import io.sluice.center.plan.ReleasePlan;
import io.sluice.center.plan.Target;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.verdict.Measure;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.TrialPointer;
import io.sluice.rules.trial.CallerTrials;
import io.sluice.rules.trial.Candidates;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The split of callers for a trial.
 *
 * @param attribute the attribute that distinguishes callers; empty unless callers are split
 * @param key a key that differs in each trial; empty unless callers are split
 */
record Split(String attribute, String key) {

    private static final Split NONE = new Split("", "");

    /** The maximum length, which leaves room for two numbers of fifteen digits. */
    private static final int LONGEST = TrialPointer.LONGEST - 50;

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Returns the split for a plan. Refuses plans that cannot be tried or could not be judged fairly. */
    static Split of(ReleasePlan plan, ChangeReview review) {
        Target to = plan.to();
        if (to instanceof Target.All) {
            return NONE;
        }
        if (review.before().version() == 0) {
            throw RefusedException.conflict(
                    "to: no rules are in force that could be compared (expected: \"to\": \"all\" for the first release)");
        }
        requireFair(plan);
        if (to instanceof Target.Candidate) {
            if (Candidates.of(review.before(), review.after()) instanceof Candidates.Answer.Impossible impossible) {
                throw unprocessable(impossible.why());
            }
            return NONE;
        }
        if (to instanceof Target.Callers callers) {
            return by(review, callers.by(), Set.of());
        }
        return to instanceof Target.Named named ? by(review, Optional.of(named.attribute()), named.values()) : NONE;
    }

    /** Refuses verdicts that would act on biased counts. */
    static void requireFair(ReleasePlan plan) {
        if (plan.to() instanceof Target.Nodes
                && plan.verdict().settings().tolerances().containsKey(Measure.REFUSALS)) {
            throw unprocessable("compare: refusals cannot be compared in a trial of nodes, because all nodes share the"
                    + " counts (expected: errors, latency or degraded; or a trial of callers)");
        }
        if (plan.automatic() && plan.to() instanceof Target.Named) {
            throw unprocessable("automatic: named callers were not drawn at random, so they may differ from the others"
                    + " (expected: false; or a share of callers, such as {\"callers\": \"5%\"})");
        }
        if (plan.automatic() && !plan.to().isSplit()) {
            throw unprocessable("automatic: nothing to compare, because every caller gets the same rules (expected:"
                    + " false; or a trial of nodes or callers)");
        }
    }

    private static Split by(ChangeReview review, Optional<String> wanted, Set<String> named) {
        CallerTrials.Answer answer = CallerTrials.attribute(review.before(), review.after(), wanted);
        if (answer instanceof CallerTrials.Answer.Impossible impossible) {
            throw unprocessable(impossible.why());
        }
        String attribute = ((CallerTrials.Answer.By) answer).attribute();
        String key = HexFormat.of().toHexDigits(RANDOM.nextLong());
        try {
            CallerSplit split =
                    named.isEmpty() ? CallerSplit.share(attribute, key, 1) : CallerSplit.named(attribute, key, named);
            if (new TrialPointer(1, new TrialScope.Callers(split)).toString().length() > LONGEST) {
                throw unprocessable("named: the values have too many characters (expected: about " + LONGEST
                        + " in all; special characters count three times)");
            }
        } catch (IllegalArgumentException e) {
            throw unprocessable(String.valueOf(e.getMessage()));
        }
        return new Split(attribute, key);
    }

    private static RefusedException unprocessable(String why) {
        return RefusedException.unprocessable(why, List.of(why));
    }
}
