package io.sluice.spring.boot.store;

import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Finds the Redis that the application uses through Spring Data, if one is configured. With Spring Data on the class path, Boot
 * always has the address {@code localhost:6379}; this default alone does not turn on shared counts.
 */
public final class DataRedisAddress {

    private static final Logger LOG = LoggerFactory.getLogger(DataRedisAddress.class);
    private static final String PREFIX = "spring.data.redis.";

    /** The class of the connection details that Boot makes from properties. It is package-private, so it is compared by name. */
    private static final String OF_PROPERTIES =
            "org.springframework.boot.data.redis.autoconfigure.PropertiesDataRedisConnectionDetails";

    private DataRedisAddress() {}

    public static Optional<StoreAddress> of(DataRedisConnectionDetails details, ConfigurableEnvironment environment) {
        boolean ofProperties = details.getClass().getName().equals(OF_PROPERTIES);
        if (ofProperties && !NamedRedis.isNamed(environment)) {
            return Optional.empty();
        }
        if (environment.getProperty(PREFIX + "ssl.bundle") != null) {
            LOG.warn("spring.data.redis.ssl.bundle: not used by Sluice, which uses the JVM's default trust store");
        }
        return Optional.of(new StoreAddress(
                uri(details, isSecure(details, ofProperties, environment)),
                ofProperties ? "spring.data.redis" : "connection details"));
    }

    /** Boot's connection details do not show that the scheme of the URL asks for TLS. */
    private static boolean isSecure(
            DataRedisConnectionDetails details, boolean ofProperties, ConfigurableEnvironment environment) {
        return details.getSslBundle() != null
                || (ofProperties && environment.getProperty(PREFIX + "url", "").startsWith("rediss://"));
    }

    private static String uri(DataRedisConnectionDetails details, boolean secure) {
        RedisUriParts uri = new RedisUriParts(secure, details.getUsername(), details.getPassword());
        DataRedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            return uri.ofCluster(nodes(cluster.getNodes()));
        }
        DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            if (sentinel.getPassword() != null) {
                throw NamedRedis.unsupported(NamedRedis.SENTINEL_PASSWORD);
            }
            return uri.ofSentinels(nodes(sentinel.getNodes()), sentinel.getMaster(), sentinel.getDatabase());
        }
        DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
        if (standalone == null) {
            throw NamedRedis.unsupported(NamedRedis.LISTED_REPLICAS);
        }
        return uri.ofServer(RedisUriParts.node(standalone.getHost(), standalone.getPort()), standalone.getDatabase());
    }

    private static List<String> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> RedisUriParts.node(node.host(), node.port()))
                .toList();
    }
}
