package io.sluice.envoy.decide;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.envoy.descriptor.EnvoyDescriptor;
import io.sluice.rules.evaluate.BoundLimit;
import io.sluice.rules.evaluate.JointEvaluation;
import io.sluice.rules.evaluate.LimitGroup;
import io.sluice.rules.evaluate.MatchedRequest;
import io.sluice.rules.model.Rule;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Decides about the descriptors of a request, together or each on its own. Thread-safe; never blocks. */
final class JointEvaluator {

    private final JointEvaluation steps;

    JointEvaluator(JointEvaluation steps) {
        this.steps = steps;
    }

    /**
     * Decides about several requests together: either all pass and all are charged, or one refuses and none is charged. Parts that only
     * look are checked first; if one of them refuses, the whole request is refused. Concurrency limits are only looked at, because the
     * protocol has no way to release a permit. Quotas are decided after the other limits, each on its own. If all of them are used up, the
     * request is refused, and the charges of the other limits are given back. Usage that is charged in any case is charged last, and only
     * if the request passes.
     *
     * @param set the rules that the parts were made for, as {@link JointEvaluation#rules} returned them
     * @param parts the requests, at least one
     */
    CompletionStage<JointRuling> evaluate(RuleSet set, List<JointPart> parts) {
        long start = steps.nanoTime();
        return evaluate(joint(set, parts), set.version(), start, true);
    }

    /**
     * Decides about one request on its own, and counts it even if it is refused. In that case the limits of descriptor rules are charged
     * all remaining permits, so a limit that refuses has nothing left. The same holds for a shadow limit that would refuse. Other limits,
     * and requests that a rule denied, are not charged. These charges are not reported to listeners, and concurrent charges of other
     * requests may come first. A used-up quota is reported but does not refuse; only all quotas of all parts together refuse a request.
     *
     * @param set the rules that the part was made for, as {@link JointEvaluation#rules} returned them
     */
    CompletionStage<JointRuling> evaluateCountingRefused(RuleSet set, JointPart part) {
        long start = steps.nanoTime();
        JointDecision joint = joint(set, List.of(part));
        MatchedRequest matched = joint.parts().get(0);
        return evaluate(joint, set.version(), start, false)
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

    private CompletionStage<JointRuling> evaluate(JointDecision joint, long version, long start, boolean quotasRefuse) {
        JointEvaluation.Telling telling = steps.begin(joint.parts().get(0).request(), start);
        SideDecisions here = joint.isPlain() ? chargedHere(joint, version) : null;
        if (here != null) {
            joint.heard(here);
            return CompletableFuture.completedFuture(told(joint, here.allowed(), telling));
        }
        return settle(joint, version)
                .thenCompose(passed -> quotas(joint, passed, quotasRefuse))
                .thenCompose(allowed -> shadows(joint, allowed, false)
                        .thenCompose(all -> usage(all, allowed))
                        .thenApply(all -> told(all, allowed, telling)));
    }

    /** Decides with the limits of this process only. Returns null, and charges nothing, if that is not enough for the decision. */
    private @Nullable SideDecisions chargedHere(JointDecision joint, long version) {
        LimitGroup group = joint.group(false);
        return joint.isRefusedOutright() ? null : steps.chargeHere(group, version);
    }

    private JointRuling told(JointDecision joint, boolean allowed, JointEvaluation.Telling telling) {
        JointRuling ruling = joint.ruling(allowed, steps.mode(), steps.nowMicros());
        telling.tell(deciding(joint, ruling).request(), ruling.whole());
        return ruling;
    }

    /** Returns the part that the ruling is about: a part with the reported rule, preferably a refused part. */
    private static MatchedRequest deciding(JointDecision joint, JointRuling ruling) {
        Rule rule = ruling.whole().rule();
        MatchedRequest found = null;
        for (int i = 0; i < joint.parts().size() && rule != null; i++) {
            MatchedRequest part = joint.parts().get(i);
            if (part.ruleIds().contains(rule.id())) {
                if (!ruling.parts().get(i).allowed()) {
                    return part;
                }
                found = found == null ? part : found;
            }
        }
        return found == null ? joint.parts().get(0) : found;
    }

    /** Decides the quotas and returns whether the request still passes. */
    private CompletionStage<Boolean> quotas(JointDecision joint, boolean passed, boolean refuse) {
        return shadows(joint, passed, true).thenApply(all -> {
            if (!refuse || !passed || !all.refusesByQuotas()) {
                return passed;
            }
            // The answer does not wait for a store that may have become slow meanwhile.
            var unused = all.decisions().giveBack();
            return false;
        });
    }

    /** Decides the limits in force and returns whether all parts pass. */
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
            return decisions.allowed() && !joint.isRefusedOutright();
        });
    }

    private CompletionStage<JointDecision> shadows(JointDecision joint, boolean allowed, boolean quotas) {
        CompletionStage<JointDecision> all = CompletableFuture.completedFuture(joint);
        for (MatchedRequest part : joint.parts()) {
            for (LimitGroup group : QuotaStandings.groups(part, quotas)) {
                boolean charges = allowed
                        && part.permits() > 0
                        && part.permits() <= Limit.MAX_PERMITS
                        && part.verdictOf() == null
                        && group.lacking() == null;
                Purpose purpose = charges ? Purpose.CHARGE : Purpose.LOOK;
                all = all.thenCompose(
                        same -> steps.decide(group, purpose, part.set().version())
                                .thenApply(decisions -> {
                                    if (quotas) {
                                        same.heardQuota(part, group, decisions);
                                    } else {
                                        same.heardShadow(group, decisions);
                                    }
                                    return same;
                                }));
            }
        }
        return all;
    }

    /** Charges the usage that passing parts report, one part after the other, so that each part sees the charges of the parts before it. */
    private CompletionStage<JointDecision> usage(JointDecision joint, boolean allowed) {
        CompletionStage<JointDecision> all = CompletableFuture.completedFuture(joint);
        for (MatchedRequest part : joint.parts()) {
            if (allowed && part.verdictOf() == null && !part.usage().limits().isEmpty()) {
                all = all.thenCompose(same -> steps.chargeUsage(part).thenApply(used -> {
                    same.heardUsage(part, used);
                    return same;
                }));
            }
        }
        return all;
    }

    /** Charges each limit that the decision did not charge, on its own, up to its remaining permits. */
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
                    done = done.thenCombine(steps.charge(group, bound, bound.permits()), (a, b) -> b);
                }
            }
        }
        return done;
    }
}
