package io.sluice.redis.internal.refusal;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.redis.internal.wire.NamedEngine;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Any engine in place of one on Redis. */
record UnnamedEngine(Engine engine) implements NamedEngine {

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        return engine.decide(ask);
    }

    @Override
    public Answer decide(Ask ask, String[] counts) {
        return engine.decide(ask);
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        return engine.giveBack(charges);
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    @Override
    public void close() {
        engine.close();
    }
}
