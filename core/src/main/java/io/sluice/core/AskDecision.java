package io.sluice.core;

import io.sluice.core.spi.Ask;
import io.sluice.core.spi.EngineDecision;

/** The decision of an engine or its stand-in on an ask. */
final class AskDecision extends Decision {

    private final Ask ask;
    private final EngineDecision outcome;

    AskDecision(Ask ask, EngineDecision outcome) {
        this.ask = ask;
        this.outcome = outcome;
    }

    @Override
    public boolean allowed() {
        return outcome.allowed();
    }

    @Override
    public Ask ask() {
        return ask;
    }

    @Override
    public EngineDecision outcome() {
        return outcome;
    }
}
