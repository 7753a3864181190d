package io.sluice.spring.boot.store;

import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The Redis that the application itself uses, if somebody named it. Boot always has an address, {@code localhost:6379}, as soon as its
 * classes are there; that one alone makes nothing distributed.
 */
public final class DataRedisAddress {

    private static final Logger LOG = LoggerFactory.getLogger(DataRedisAddress.class);
    private static final String PREFIX = "spring.data.redis.";

    /** The details that Boot makes of properties. Its class is hidden. */
    private static final String OF_PROPERTIES =
            "org.springframework.boot.data.redis.autoconfigure.PropertiesDataRedisConnectionDetails";

    private DataRedisAddress() {}

    public static Optional<StoreAddress> of(DataRedisConnectionDetails details, ConfigurableEnvironment environment) {
        boolean ofProperties = details.getClass().getName().equals(OF_PROPERTIES);
        if (ofProperties && !NamedRedis.isNamed(environment)) {
            return Optional.empty();
        }
        if (environment.getProperty(PREFIX + "ssl.bundle") != null) {
            LOG.warn("spring.data.redis.ssl.bundle: not used by Sluice, which trusts what this JVM trusts");
        }
        return Optional.of(new StoreAddress(
                uri(details, isSecure(details, ofProperties, environment)),
                ofProperties ? "spring.data.redis" : "connection details"));
    }

    /** Boot does not show in its details that the scheme of a URL asks for TLS. */
    private static boolean isSecure(
            DataRedisConnectionDetails details, boolean ofProperties, ConfigurableEnvironment environment) {
        return details.getSslBundle() != null
                || (ofProperties && environment.getProperty(PREFIX + "url", "").startsWith("rediss://"));
    }

    private static String uri(DataRedisConnectionDetails details, boolean secure) {
        RedisUri uri = new RedisUri(secure, details.getUsername(), details.getPassword());
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
        return uri.ofServer(RedisUri.node(standalone.getHost(), standalone.getPort()), standalone.getDatabase());
    }

    private static List<String> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> RedisUri.node(node.host(), node.port()))
                .toList();
    }
}
