package io.sluice.redis.internal.lease;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.EngineUnderTest;
import io.sluice.testkit.engine.SettlementConformance;
import java.util.concurrent.atomic.AtomicLong;

/** Leases in front of demands that do not ask for them change nothing. */
final class UnleasedTest extends SettlementConformance {

    @Override
    protected EngineUnderTest start() {
        AtomicLong micros = new AtomicLong();
        LocalEngine local = LocalEngine.onTime(micros::get);
        ManualClock clock = QuietClock.at(0);
        LeaseModel model = new LeaseModel(micros::get, Runnable::run);
        Leases leases = Leases.over(local, model, clock, LeaseListener.NONE, 1_000, new OnTheSpot());
        return new EngineUnderTest() {

            @Override
            public Engine engine() {
                return leases;
            }

            @Override
            public void setMicros(long epochMicros) {
                micros.set(epochMicros);
            }

            @Override
            public void close() {
                leases.close();
            }
        };
    }
}
