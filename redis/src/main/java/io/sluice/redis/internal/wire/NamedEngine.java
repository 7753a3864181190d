package io.sluice.redis.internal.wire;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Engine;

/** An engine on Redis. A caller that knows the names of the counts passes them in, so that each name is built only once. */
public interface NamedEngine extends Engine {

    /**
     * Decides as {@link #decide(Ask)} does.
     *
     * @param counts the name of each demand's count, as {@link RedisKeys} builds it
     */
    Answer decide(Ask ask, String[] counts);
}
