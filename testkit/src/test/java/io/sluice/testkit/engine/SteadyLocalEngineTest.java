package io.sluice.testkit.engine;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The in-process engine as it really runs, on a monotonic clock: token buckets in a single word. */
final class SteadyLocalEngineTest extends SettlementConformance {

    @Override
    protected EngineUnderTest start() {
        return new EngineUnderTest() {

            private @Nullable ManualClock clock;
            private @Nullable LocalEngine engine;

            @Override
            public Engine engine() {
                return Objects.requireNonNull(engine);
            }

            @Override
            public void setMicros(long epochMicros) {
                if (clock == null) {
                    clock = QuietClock.at(epochMicros);
                    engine = new LocalEngine(clock);
                } else {
                    clock.advance(Duration.of(epochMicros - clock.epochMicros(), ChronoUnit.MICROS));
                }
            }

            @Override
            public boolean timeStepsBack() {
                return false;
            }

            @Override
            public void close() {
                engine().close();
            }
        };
    }
}
