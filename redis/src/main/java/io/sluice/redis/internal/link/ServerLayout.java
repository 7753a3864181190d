package io.sluice.redis.internal.link;

import io.lettuce.core.RedisURI;
import java.util.List;

/**
 * The servers that hold counts.
 *
 * @param servers all servers that hold counts
 * @param slots the assignment of slots to servers; equal as long as no slot moves
 */
public record ServerLayout(List<RedisURI> servers, Object slots) {

    public ServerLayout {
        servers = List.copyOf(servers);
    }

    /** Returns whether counts are divided among servers, and may move between them. */
    public boolean isDivided() {
        return servers.size() > 1;
    }
}
