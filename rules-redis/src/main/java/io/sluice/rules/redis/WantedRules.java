package io.sluice.rules.redis;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.TrialPointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rules that a center wants the nodes of a Redis to have.
 *
 * @param inForce the released rules; version 0 if nothing was released
 * @param trial a higher version, and who tries it
 * @param adjustments the adjustments on top of both; revision 0 if there never were any
 */
public record WantedRules(RuleSet inForce, Optional<Trial> trial, Adjustments adjustments) {

    /** A version on trial. */
    public record Trial(RuleSet rules, TrialScope scope) {}

    /** Returns the text of the version key. */
    public String pointer() {
        return toPointer().toString();
    }

    /** Returns the highest version. */
    public long highest() {
        return trial.map(tried -> tried.rules().version()).orElse(inForce.version());
    }

    VersionPointer toPointer() {
        return new VersionPointer(
                inForce.version(),
                trial.map(tried -> new TrialPointer(tried.rules().version(), tried.scope())));
    }

    List<RuleSet> sets() {
        List<RuleSet> sets = new ArrayList<>(List.of(inForce));
        trial.ifPresent(tried -> sets.add(tried.rules()));
        return sets;
    }

    /** Returns the percentage of nodes that a version is for. A version that callers try is for every node. */
    int share(RuleSet set) {
        return trial.filter(tried -> tried.rules().version() == set.version())
                .filter(tried -> tried.scope() instanceof TrialScope.Nodes)
                .map(tried -> ((TrialScope.Nodes) tried.scope()).percent())
                .orElse(RedisRulePublisher.ALL);
    }
}
