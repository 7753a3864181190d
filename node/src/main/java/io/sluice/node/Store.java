package io.sluice.node;

import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.redis.DenyCache;
import io.sluice.redis.RedisEngine;
import java.util.concurrent.CompletionStage;

/** The shared engine and whether it is there. */
interface Store {

    Engine engine();

    /** Whether it can decide now. */
    boolean isReady();

    /** Completes when {@link #isReady} first turns true. */
    CompletionStage<Void> ready();

    /** Opens the store of a configuration that names one. */
    @FunctionalInterface
    interface Opener {

        /** Returns at once; throws only if the URI cannot be read. */
        Store open(String uri, String prefix, Clock clock);
    }

    static Store redis(String uri, String prefix, Clock clock) {
        RedisEngine engine = RedisEngine.connect(uri, prefix, clock);
        DenyCache remembering = DenyCache.over(engine, uri, prefix, clock);
        return new Store() {
            @Override
            public Engine engine() {
                return remembering;
            }

            @Override
            public boolean isReady() {
                return engine.isReady();
            }

            @Override
            public CompletionStage<Void> ready() {
                return engine.ready();
            }
        };
    }
}
