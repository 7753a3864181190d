package io.sluice.spring.boot;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * The Redis that the application itself uses, if somebody named it. Boot always has an address, {@code localhost:6379}, as soon as its
 * classes are there; that one alone makes nothing distributed.
 */
final class DataRedisAddress {

    private static final Logger LOG = LoggerFactory.getLogger(DataRedisAddress.class);
    private static final String PREFIX = "spring.data.redis.";
    private static final String ENVIRONMENT_PREFIX = "SPRING_DATA_REDIS_";

    /** Those that say where it is, or that there is one; not those that tune a client. */
    private static final List<String> NAMING =
            List.of("host", "port", "url", "username", "password", "sentinel", "cluster", "masterreplica");

    /** The details that Boot makes of properties. Its class is hidden. */
    private static final String OF_PROPERTIES =
            "org.springframework.boot.data.redis.autoconfigure.PropertiesDataRedisConnectionDetails";

    private DataRedisAddress() {}

    static Optional<StoreAddress> of(DataRedisConnectionDetails details, ConfigurableEnvironment environment) {
        boolean ofProperties = details.getClass().getName().equals(OF_PROPERTIES);
        if (ofProperties && !isNamed(environment)) {
            return Optional.empty();
        }
        if (environment.getProperty(PREFIX + "ssl.bundle") != null) {
            LOG.warn("spring.data.redis.ssl.bundle: not used by Sluice, which trusts what this JVM trusts");
        }
        return Optional.of(new StoreAddress(
                uri(details, isSecure(details, ofProperties, environment)),
                ofProperties ? "spring.data.redis" : "connection details"));
    }

    private static boolean isNamed(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> listed) {
                for (String name : listed.getPropertyNames()) {
                    if (isNaming(name)) {
                        return true;
                    }
                }
            }
        }
        return NAMING.stream().anyMatch(name -> environment.containsProperty(PREFIX + name));
    }

    private static boolean isNaming(String name) {
        String rest;
        if (name.startsWith(PREFIX)) {
            rest = name.substring(PREFIX.length());
        } else if (name.startsWith(ENVIRONMENT_PREFIX)) {
            rest = name.substring(ENVIRONMENT_PREFIX.length()).toLowerCase(Locale.ROOT);
        } else {
            return false;
        }
        return NAMING.stream()
                .anyMatch(naming ->
                        rest.equals(naming) || rest.startsWith(naming + ".") || rest.startsWith(naming + "_"));
    }

    /** Boot does not show in its details that the scheme of a URL asks for TLS. */
    private static boolean isSecure(
            DataRedisConnectionDetails details, boolean ofProperties, ConfigurableEnvironment environment) {
        return details.getSslBundle() != null
                || (ofProperties && environment.getProperty(PREFIX + "url", "").startsWith("rediss://"));
    }

    private static String uri(DataRedisConnectionDetails details, boolean secure) {
        String scheme = secure ? "rediss" : "redis";
        String credentials = credentials(details.getUsername(), details.getPassword());
        DataRedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            return scheme + "-cluster://" + credentials + nodes(cluster.getNodes());
        }
        DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            if (sentinel.getPassword() != null) {
                throw unsupported("a password of the Sentinels themselves");
            }
            return scheme + "-sentinel://" + credentials + nodes(sentinel.getNodes()) + "/" + sentinel.getDatabase()
                    + "#" + encoded(sentinel.getMaster());
        }
        DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
        if (standalone == null) {
            throw unsupported("a master with replicas that are listed by hand");
        }
        return scheme + "://" + credentials + node(new Node(standalone.getHost(), standalone.getPort())) + "/"
                + standalone.getDatabase();
    }

    private static SluiceStartException unsupported(String what) {
        return new SluiceStartException(
                "spring.data.redis: " + what + " (expected: a server, Sentinels without one, or a Cluster)",
                "Name the Redis for the counts with sluice.redis.uri, or set sluice.redis.enabled=false to limit in this"
                        + " process alone.");
    }

    private static String credentials(@Nullable String username, @Nullable String password) {
        if (password == null || password.isEmpty()) {
            return "";
        }
        return (username == null || username.isEmpty() ? "" : encoded(username)) + ":" + encoded(password) + "@";
    }

    private static String nodes(List<Node> nodes) {
        return nodes.stream().map(DataRedisAddress::node).collect(Collectors.joining(","));
    }

    private static String node(Node node) {
        String host = node.host();
        boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
        return (bare ? "[" + host + "]" : host) + ":" + node.port();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
