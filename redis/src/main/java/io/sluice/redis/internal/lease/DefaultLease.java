package io.sluice.redis.internal.lease;

import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.LeasePolicy;

/** A decorator that applies a lease policy to demands that have none. {@link Leases} describes the trade-offs of leases. */
public final class DefaultLease extends ForwardingEngine {

    private final LeasePolicy policy;

    public DefaultLease(Engine engine, LeasePolicy policy) {
        super(engine);
        this.policy = policy;
    }

    @Override
    public Answer decide(Ask ask) {
        return engine.decide(ask.of(ask.demands().stream().map(this::leased).toList()));
    }

    private Demand leased(Demand demand) {
        return demand.lease().equals(LeasePolicy.NONE) ? demand.leasedBy(policy) : demand;
    }
}
