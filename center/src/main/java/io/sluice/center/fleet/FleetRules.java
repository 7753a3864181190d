package io.sluice.center.fleet;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.TrialPointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rules, the trial and the adjustments that decide in a fleet. Immutable.
 *
 * @param inForce the rules of all callers that are not on trial
 * @param trial the version on trial
 * @param adjustments temporary changes on top of both
 */
public record FleetRules(RuleSet inForce, Optional<OnTrial> trial, Adjustments adjustments) {

    /** The state before the first release. */
    public static final FleetRules NONE = new FleetRules(RuleSet.none(), Optional.empty(), Adjustments.NONE);

    /** A version on trial and the nodes or callers that try it. */
    public record OnTrial(RuleSet rules, TrialScope scope) {

        /** Returns the name of the trial in the pointer. */
        public TrialPointer pointer() {
            return new TrialPointer(rules.version(), scope);
        }

        /** Returns whether a node gets this version for all its callers. */
        public boolean isForNode(String node) {
            return !node.isEmpty()
                    && scope instanceof TrialScope.Nodes nodes
                    && new NodeShare(node).isWithin(nodes.percent());
        }

        public boolean isForCallers() {
            return scope instanceof TrialScope.Callers;
        }
    }

    /** Returns all sets of rules that decide somewhere. */
    public List<RuleSet> all() {
        List<RuleSet> all = new ArrayList<>(List.of(inForce));
        trial.ifPresent(tried -> all.add(tried.rules()));
        return List.copyOf(all);
    }

    /** Returns the rules that a node gets for all its callers, or for its callers that are not on trial. */
    public RuleSet rules(String node) {
        return trial.filter(tried -> tried.isForNode(node)).map(OnTrial::rules).orElse(inForce);
    }

    /** Returns whether other rules are at least as new as these. */
    boolean isFollowedBy(FleetRules next) {
        if (next.inForce.version() != inForce.version()) {
            return next.inForce.version() > inForce.version();
        }
        // A trial ends together with a new version in force, so it never disappears alone.
        return next.adjustments.revision() >= adjustments.revision()
                && (trial.isEmpty()
                        || next.trial
                                .filter(tried -> isWider(tried, trial.get()))
                                .isPresent());
    }

    private static boolean isWider(OnTrial next, OnTrial last) {
        return next.rules().version() == last.rules().version() && TrialPointer.covers(next.scope(), last.scope());
    }
}
