package io.sluice.spring.boot3;

import io.sluice.spring.boot.store.DataRedis;
import io.sluice.spring.boot.store.DataRedis.Cluster;
import io.sluice.spring.boot.store.DataRedis.Place;
import io.sluice.spring.boot.store.DataRedis.Sentinels;
import io.sluice.spring.boot.store.DataRedis.Server;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Node;
import org.springframework.boot.ssl.SslBundle;

/** Reads the connection details of Spring Boot 3.5, which has a TLS bundle for each kind of place. Stateless. */
final class DataRedisFinder {

    /** The class of the connection details that Boot makes from properties. It is package-private, so it is compared by name. */
    private static final String OF_PROPERTIES =
            "org.springframework.boot.autoconfigure.data.redis.PropertiesRedisConnectionDetails";

    private final RedisConnectionDetails details;

    private DataRedisFinder(RedisConnectionDetails details) {
        this.details = details;
    }

    static DataRedis read(RedisConnectionDetails details) {
        return new DataRedisFinder(details).read();
    }

    private DataRedis read() {
        RedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            return at(new Cluster(nodes(cluster.getNodes())), cluster.getSslBundle());
        }
        RedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            return at(
                    new Sentinels(
                            nodes(sentinel.getNodes()),
                            sentinel.getMaster(),
                            sentinel.getDatabase(),
                            sentinel.getPassword()),
                    sentinel.getSslBundle());
        }
        RedisConnectionDetails.Standalone server = details.getStandalone();
        return server == null
                ? at(null, null)
                : at(new Server(server.getHost(), server.getPort(), server.getDatabase()), server.getSslBundle());
    }

    private DataRedis at(@Nullable Place place, @Nullable SslBundle tls) {
        return new DataRedis(
                details.getClass().getName().equals(OF_PROPERTIES),
                tls != null,
                details.getUsername(),
                details.getPassword(),
                place);
    }

    private static List<String> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> DataRedis.node(node.host(), node.port()))
                .toList();
    }
}
