package io.sluice.redis.internal.refusal;

import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Engine;
import io.sluice.redis.internal.wire.NamedEngine;

/** Any engine in the place of one on Redis. */
final class UnnamedEngine extends ForwardingEngine implements NamedEngine {

    UnnamedEngine(Engine engine) {
        super(engine);
    }

    @Override
    public Answer decide(Ask ask, String[] counts) {
        return decide(ask);
    }
}
