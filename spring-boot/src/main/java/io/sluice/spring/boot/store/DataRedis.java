package io.sluice.spring.boot.store;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The Redis that the application uses through Spring Data. Each version of Spring Boot has its own class for these details.
 *
 * @param ofProperties whether Boot made the details from properties; false if the application has a bean of its own
 * @param secure whether the connection uses TLS
 * @param place the place of the Redis; null if it is a master with a static list of replicas
 */
public record DataRedis(
        boolean ofProperties,
        boolean secure,
        @Nullable String username,
        @Nullable String password,
        @Nullable Place place) {

    private static final Logger LOG = LoggerFactory.getLogger(DataRedis.class);
    private static final String PREFIX = "spring.data.redis.";

    /** The place of a Redis. */
    public sealed interface Place {}

    /** A single server. */
    public record Server(String host, int port, int database) implements Place {}

    /**
     * A group of servers that Sentinels watch.
     *
     * @param nodes the Sentinels, each as {@code host:port}
     */
    public record Sentinels(
            List<String> nodes,
            String master,
            int database,
            @Nullable String password) implements Place {}

    /**
     * A Redis Cluster.
     *
     * @param nodes some of its servers, each as {@code host:port}
     */
    public record Cluster(List<String> nodes) implements Place {}

    /** Returns {@code host:port}, with brackets around an IPv6 address. */
    public static String node(String host, int port) {
        return RedisUriParts.node(host, port);
    }

    /**
     * Returns the address, if one is configured. With Spring Data on the class path, Boot always has the address {@code
     * localhost:6379}; this default alone does not turn on shared counts.
     */
    public Optional<StoreAddress> address(ConfigurableEnvironment environment) {
        if (ofProperties && !NamedRedis.isNamed(environment)) {
            return Optional.empty();
        }
        if (environment.getProperty(PREFIX + "ssl.bundle") != null) {
            LOG.warn("spring.data.redis.ssl.bundle: not used by Sluice, which uses the JVM's default trust store");
        }
        // Boot's connection details do not show that the scheme of the URL asks for TLS.
        boolean tls = secure
                || (ofProperties && environment.getProperty(PREFIX + "url", "").startsWith("rediss://"));
        return Optional.of(new StoreAddress(
                uri(new RedisUriParts(tls, username, password)),
                ofProperties ? "spring.data.redis" : "connection details"));
    }

    private String uri(RedisUriParts uri) {
        if (place instanceof Cluster cluster) {
            return uri.ofCluster(cluster.nodes());
        }
        if (place instanceof Sentinels sentinels) {
            if (sentinels.password() != null) {
                throw NamedRedis.unsupported(NamedRedis.SENTINEL_PASSWORD);
            }
            return uri.ofSentinels(sentinels.nodes(), sentinels.master(), sentinels.database());
        }
        if (place instanceof Server server) {
            return uri.ofServer(node(server.host(), server.port()), server.database());
        }
        throw NamedRedis.unsupported(NamedRedis.LISTED_REPLICAS);
    }
}
