package io.sluice.center.fleet;

import io.sluice.rules.snapshot.RuleSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All events that describe the rules of a fleet at one moment. Immutable. */
public final class RuleNews {

    static final RuleNews NONE = new RuleNews(FleetRules.NONE, null);

    private final FleetRules rules;
    private final RuleEvent inForce;
    private final RuleEvent inForceState;

    /** The replacements of the two events above for nodes within a trial of nodes. For a trial of callers, the second one is not used. */
    private final @Nullable RuleEvent tried;

    private final RuleEvent triedState;

    private RuleNews(FleetRules rules, @Nullable RuleNews last) {
        this.rules = rules;
        this.inForce = known(last, rules.inForce());
        this.inForceState = RuleEvent.state(rules, rules.inForce());
        FleetRules.OnTrial trial = rules.trial().orElse(null);
        this.tried =
                trial == null ? null : trial.isForCallers() ? trial(last, trial.rules()) : known(last, trial.rules());
        this.triedState = trial == null ? inForceState : RuleEvent.state(rules, trial.rules());
    }

    /** Returns the news after these. Large events are created only if they are new. */
    RuleNews next(FleetRules next) {
        return new RuleNews(next, this);
    }

    FleetRules rules() {
        return rules;
    }

    RuleEvent rules(String node) {
        return tried != null && isTriedBy(node) ? tried : inForce;
    }

    Optional<RuleEvent> trial() {
        return tried != null && rules.trial().orElseThrow().isForCallers() ? Optional.of(tried) : Optional.empty();
    }

    RuleEvent state(String node) {
        return isTriedBy(node) ? triedState : inForceState;
    }

    private boolean isTriedBy(String node) {
        return rules.trial().filter(trial -> trial.isForNode(node)).isPresent();
    }

    private static RuleEvent known(@Nullable RuleNews last, RuleSet set) {
        if (last != null) {
            String id = set.version() == 0 ? "" : RuleEvent.id(set);
            if (last.inForce.id().equals(id)) {
                return last.inForce;
            }
            if (last.tried != null && last.trial().isEmpty() && last.tried.id().equals(id)) {
                return last.tried;
            }
        }
        return RuleEvent.of(set);
    }

    private static RuleEvent trial(@Nullable RuleNews last, RuleSet set) {
        return last == null
                ? RuleEvent.trial(set)
                : last.trial()
                        .filter(event -> event.id().equals(RuleEvent.id(set)))
                        .orElseGet(() -> RuleEvent.trial(set));
    }
}
