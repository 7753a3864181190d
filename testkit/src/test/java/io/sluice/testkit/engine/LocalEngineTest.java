package io.sluice.testkit.engine;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Engine;
import java.util.concurrent.atomic.AtomicLong;

/** The in-process engine passes the suite that every engine passes. */
final class LocalEngineTest extends SettlementConformance {

    @Override
    protected EngineUnderTest start() {
        AtomicLong micros = new AtomicLong();
        LocalEngine engine = LocalEngine.onTime(micros::get);
        return new EngineUnderTest() {
            @Override
            public Engine engine() {
                return engine;
            }

            @Override
            public void setMicros(long epochMicros) {
                micros.set(epochMicros);
            }

            @Override
            public void close() {
                engine.close();
            }
        };
    }
}
