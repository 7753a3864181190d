package io.sluice.center.release;

import io.sluice.center.fleet.FleetRules;
import io.sluice.center.version.Versions;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads the rules that decide now from the database. Thread-safe. */
public final class CurrentRules {

    private final Versions versions;
    private final RolloutTable rollouts = new RolloutTable();

    public CurrentRules(Versions versions) {
        this.versions = versions;
    }

    /** Returns the rules in force, followed by the rules on trial. */
    public List<RuleSet> all(JdbcClient client) {
        return Stream.concat(
                        Stream.of(versions.latestRules(client)),
                        onTrial(client).stream().map(FleetRules.OnTrial::rules))
                .toList();
    }

    FleetRules with(JdbcClient client, Adjustments adjustments) {
        return new FleetRules(versions.latestRules(client), onTrial(client), adjustments);
    }

    private Optional<FleetRules.OnTrial> onTrial(JdbcClient client) {
        return rollouts.trial(client).flatMap(trial -> trial.scope()
                .map(scope -> new FleetRules.OnTrial(
                        versions.rules(client, trial.version()).orElseThrow(), scope)));
    }
}
