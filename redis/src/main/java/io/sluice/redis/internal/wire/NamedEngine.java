package io.sluice.redis.internal.wire;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Engine;

/** An engine on Redis. Callers that know the names of the counts hand them over, so that each name is made once. */
public interface NamedEngine extends Engine {

    /**
     * Decides as {@link #decide(Ask)} does.
     *
     * @param counts the name of each demand's count, as {@link RedisKeys} makes it
     */
    Answer decide(Ask ask, String[] counts);
}
