package io.sluice.redis.internal.link;

import io.sluice.core.spi.EngineFailure;
import io.sluice.redis.store.StoreState;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The servers that hold the counts: a single server, or the primaries of a Cluster. Thread-safe. */
public interface Servers extends AutoCloseable {

    /** Returns the place of a count. Counts in one place can be decided in one step. */
    int placeOf(String count);

    /** Returns the reason why requests in a place would be undecided, or null if they would be decided. */
    @Nullable
    EngineFailure unavailable(int place);

    /** Returns the coalescer for the counts of a place. */
    Coalescer calls(int place);

    /** Returns the link to the server that holds the counts of a place, or null if no such server is known. */
    @Nullable
    RedisLink link(int place);

    /** Returns the links to all servers that hold counts. */
    List<RedisLink> links();

    /** Asks for the servers that hold counts now. Completes exceptionally if no server answers. */
    CompletionStage<ServerLayout> layout();

    StoreState state();

    /** Returns the problems of servers that still decide, as sentences. */
    List<String> findings();

    boolean isReady();

    CompletionStage<Void> ready();

    @Override
    void close();
}
