package io.sluice.spring.boot4;

import io.sluice.spring.boot.store.DataRedis;
import io.sluice.spring.boot.store.DataRedis.Cluster;
import io.sluice.spring.boot.store.DataRedis.Place;
import io.sluice.spring.boot.store.DataRedis.Sentinels;
import io.sluice.spring.boot.store.DataRedis.Server;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;

/** Reads the connection details of Spring Boot 4. Stateless. */
final class DataRedisFinder {

    /** The class of the connection details that Boot makes from properties. It is package-private, so it is compared by name. */
    private static final String OF_PROPERTIES =
            "org.springframework.boot.data.redis.autoconfigure.PropertiesDataRedisConnectionDetails";

    private DataRedisFinder() {}

    static DataRedis read(DataRedisConnectionDetails details) {
        return new DataRedis(
                details.getClass().getName().equals(OF_PROPERTIES),
                details.getSslBundle() != null,
                details.getUsername(),
                details.getPassword(),
                place(details));
    }

    private static @Nullable Place place(DataRedisConnectionDetails details) {
        DataRedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            return new Cluster(nodes(cluster.getNodes()));
        }
        DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            return new Sentinels(
                    nodes(sentinel.getNodes()), sentinel.getMaster(), sentinel.getDatabase(), sentinel.getPassword());
        }
        DataRedisConnectionDetails.Standalone server = details.getStandalone();
        return server == null ? null : new Server(server.getHost(), server.getPort(), server.getDatabase());
    }

    private static List<String> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> DataRedis.node(node.host(), node.port()))
                .toList();
    }
}
