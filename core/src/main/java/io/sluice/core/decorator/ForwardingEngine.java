package io.sluice.core.decorator;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Forwards every call to another engine. Decorators extend it and override the methods that they change. Thread-safe. */
public abstract class ForwardingEngine implements Engine {

    /** The decorated engine; closed with this engine. */
    protected final Engine engine;

    protected ForwardingEngine(Engine engine) {
        this.engine = engine;
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        return engine.decide(ask);
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        return engine.giveBack(charges);
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        return engine.settle(settlements);
    }

    @Override
    public long forget(KeyMatch match) {
        return engine.forget(match);
    }

    @Override
    public void close() {
        engine.close();
    }
}
