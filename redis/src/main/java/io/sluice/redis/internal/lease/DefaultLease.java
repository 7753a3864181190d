package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.LeasePolicy;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A decorator that applies a lease policy to demands that have none. {@link Leases} describes the trade-offs of leases. */
public final class DefaultLease implements Engine {

    private final Engine engine;
    private final LeasePolicy policy;

    public DefaultLease(Engine engine, LeasePolicy policy) {
        this.engine = engine;
        this.policy = policy;
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        return engine.decide(ask.of(ask.demands().stream().map(this::leased).toList()));
    }

    private Demand leased(Demand demand) {
        return demand.lease().equals(LeasePolicy.NONE) ? demand.leasedBy(policy) : demand;
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
