package io.sluice.spring.boot;

import io.sluice.rules.caller.KeySettings;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.Tallies;
import io.sluice.runtime.data.RulingCounts;
import io.sluice.runtime.decisions.DecisionRecorder;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.spring.boot.store.StoreAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Starts the application's reports to its center after all beans that it reports about exist. */
final class FleetStart implements SmartInitializingSingleton {

    private final SluiceFleet fleet;
    private final OpenRules rules;
    private final Optional<StoreAddress> redis;
    private final SluiceEngines engines;
    private final SluiceState state;
    private final Tallies tallies;
    private final KeySettings keys;
    private final RulingCounts counts;
    private final CallerReports callers;
    private final SluiceDecisions decisions;

    /** @param redis the store, if the rules come from it */
    FleetStart(
            SluiceFleet fleet,
            OpenRules rules,
            Optional<StoreAddress> redis,
            SluiceEngines engines,
            SluiceState state,
            Tallies tallies,
            KeySettings keys,
            RulingCounts counts,
            CallerReports callers,
            SluiceDecisions decisions) {
        this.fleet = fleet;
        this.rules = rules;
        this.redis = redis;
        this.engines = engines;
        this.state = state;
        this.tallies = tallies;
        this.keys = keys;
        this.counts = counts;
        this.callers = callers;
        this.decisions = decisions;
    }

    @Override
    public void afterSingletonsInstantiated() {
        engines.follow(rules.source());
        List<ErasableStore> erasable = new ArrayList<>(engines.erasable());
        erasable.add(callers.refused());
        decisions.recorder().flatMap(DecisionRecorder::erasable).ifPresent(erasable::add);
        fleet.erase(rules.source()::latest, keys, erasable);
        callers.start(fleet, engines);
        if (fleet.join(redis, rules, engines.watch(), state::findings, tallies)) {
            counts.start();
        }
    }
}
