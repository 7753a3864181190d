package io.sluice.testkit.engine;

import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.Gate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;

final class ExactGateTest extends GateConformance {

    @Override
    protected Gate open(TokenBucket limit, Clock clock) {
        return new LocalEngine(clock).gate(limit, "key");
    }

    @Override
    protected double outstanding() {
        return 0;
    }
}
