package io.sluice.redis.internal.link;

import io.sluice.core.spi.EngineFailure;
import io.sluice.redis.store.StoreState;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The servers that hold the counts: one, or the primaries of a Cluster. Safe for use by many threads. */
public interface Servers extends AutoCloseable {

    /** Where a count is: counts of one place can be decided in one step. */
    int placeOf(String count);

    /** Why nothing would be decided in a place; null if it would. */
    @Nullable
    EngineFailure unavailable(int place);

    /** What to ask of the counts of a place by. */
    Coalescer calls(int place);

    /** The ways to all servers that hold counts. */
    List<RedisLink> links();

    StoreState state();

    /** What is wrong with servers that decide, in sentences. */
    List<String> findings();

    boolean isReady();

    CompletionStage<Void> ready();

    @Override
    void close();
}
