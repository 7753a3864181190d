package io.sluice.envoy.decide;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.envoy.descriptor.EnvoyDescriptor;
import io.sluice.rules.evaluate.BoundLimit;
import io.sluice.rules.evaluate.CombinedDecisions;
import io.sluice.rules.evaluate.JointEvaluation;
import io.sluice.rules.evaluate.LimitGroup;
import io.sluice.rules.evaluate.MatchedRequest;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Rules on the descriptors of a request together, or on each by itself. Safe for use by many threads; never blocks. */
final class JointEvaluator {

    private final JointEvaluation steps;

    JointEvaluator(JointEvaluation steps) {
        this.steps = steps;
    }

    /**
     * Rules on several requests as one decision: all pass and all are charged, or one refuses and none is charged. Parts that
     * only look are looked at first, and if one of them refuses, so does the whole. So are concurrency limits: nobody would have a
     * permit to give back.
     *
     * @param set the rules that the parts were made for, those that {@link JointEvaluation#rules} gave
     * @param parts at least one
     */
    CompletionStage<JointRuling> evaluate(RuleSet set, List<JointPart> parts) {
        long start = steps.nanoTime();
        return evaluate(joint(set, parts), set.version(), start);
    }

    /**
     * Rules on one request by itself. If it is refused, the limits of rules for descriptors count it all
     * the same: what they have left of it is charged, and one that refuses has nothing left. So does one in shadow that would refuse.
     * Other limits, and what a rule denied, are charged nothing. Nobody is told of these charges, and what others charge meanwhile
     * counts first.
     *
     * @param set the rules that the part was made for, those that {@link JointEvaluation#rules} gave
     */
    CompletionStage<JointRuling> evaluateCountingRefused(RuleSet set, JointPart part) {
        long start = steps.nanoTime();
        JointDecision joint = joint(set, List.of(part));
        MatchedRequest matched = joint.parts().get(0);
        return evaluate(joint, set.version(), start)
                .thenCompose(ruling -> part.permits() == 0
                                || matched.verdictOf() != null
                                || ruling.whole().degraded() != null
                        ? CompletableFuture.completedFuture(ruling)
                        : count(matched, ruling.parts().get(0)).handle((done, failure) -> ruling));
    }

    private JointDecision joint(RuleSet set, List<JointPart> parts) {
        List<MatchedRequest> matched = new ArrayList<>(parts.size());
        for (JointPart part : parts) {
            matched.add(steps.match(set, part.request(), part.permits(), part.named()));
        }
        return new JointDecision(matched);
    }

    private CompletionStage<JointRuling> evaluate(JointDecision joint, long version, long start) {
        JointEvaluation.Telling telling = steps.begin(start);
        return settle(joint, version)
                .thenCompose(allowed -> shadows(joint, allowed).thenApply(all -> {
                    JointRuling ruling = all.ruling(allowed, steps.mode(), steps.nowMicros());
                    telling.tell(ruling.whole());
                    return ruling;
                }));
    }

    /** Whether all parts pass. */
    private CompletionStage<Boolean> settle(JointDecision joint, long version) {
        LimitGroup looked = joint.group(true);
        LimitGroup charged = joint.group(false);
        Purpose first = joint.isRefusedOutright() ? Purpose.LOOK : Purpose.CHARGE;
        if (looked.limits().isEmpty()) {
            return settle(joint, charged, first, version);
        }
        return settle(joint, looked, Purpose.LOOK, version)
                .thenCompose(allowed -> settle(joint, charged, allowed ? first : Purpose.LOOK, version)
                        .thenApply(also -> allowed && also));
    }

    private CompletionStage<Boolean> settle(JointDecision joint, LimitGroup group, Purpose purpose, long version) {
        return steps.decide(group, purpose, version).thenApply(decisions -> {
            joint.heard(decisions);
            return CombinedDecisions.allAllow(decisions) && !joint.isRefusedOutright();
        });
    }

    private CompletionStage<JointDecision> shadows(JointDecision joint, boolean allowed) {
        CompletionStage<JointDecision> all = CompletableFuture.completedFuture(joint);
        for (MatchedRequest part : joint.parts()) {
            for (LimitGroup group : part.shadows()) {
                boolean charges = allowed
                        && part.permits() > 0
                        && part.permits() <= Limit.MAX_PERMITS
                        && part.verdictOf() == null
                        && group.lacking() == null;
                Purpose purpose = charges ? Purpose.CHARGE : Purpose.LOOK;
                all = all.thenCompose(
                        same -> steps.decide(group, purpose, part.set().version())
                                .thenApply(decisions -> {
                                    same.heardShadow(group, decisions);
                                    return same;
                                }));
            }
        }
        return all;
    }

    /** Charges what the decision did not, each limit by itself and as much of it as there is. */
    private CompletionStage<?> count(MatchedRequest matched, JointRuling.PartRuling ruling) {
        CompletionStage<?> done = CompletableFuture.completedFuture(null);
        List<LimitGroup> groups = new ArrayList<>(matched.shadows());
        groups.add(0, matched.live());
        int at = 0;
        for (LimitGroup group : groups) {
            int end = at + group.limits().size();
            boolean charged = ruling.allowed()
                    && ruling.limits().subList(at, end).stream().allMatch(JointRuling.Standing::fits);
            at = end;
            for (BoundLimit bound : charged ? List.<BoundLimit>of() : group.limits()) {
                if (EnvoyDescriptor.of(bound.rule()).isPresent()) {
                    done = done.thenCombine(steps.charge(bound, matched.permits(), group.deadline()), (a, b) -> b);
                }
            }
        }
        return done;
    }
}
