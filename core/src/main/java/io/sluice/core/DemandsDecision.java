package io.sluice.core;

import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import java.util.List;

/** The decision of an engine on demands. Its ask is created only when it is read. */
final class DemandsDecision extends Decision {

    private final List<Demand> demands;
    private final EngineDecision outcome;

    DemandsDecision(List<Demand> demands, EngineDecision outcome) {
        this.demands = demands;
        this.outcome = outcome;
    }

    @Override
    public boolean allowed() {
        return outcome.allowed();
    }

    @Override
    public Ask ask() {
        return Ask.charging(demands);
    }

    @Override
    public EngineDecision outcome() {
        return outcome;
    }
}
