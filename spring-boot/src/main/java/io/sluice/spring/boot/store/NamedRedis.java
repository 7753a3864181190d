package io.sluice.spring.boot.store;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/** Finds the Redis in the properties {@code spring.data.redis} without Spring Data, which the application may not use. */
public final class NamedRedis {

    static final String SENTINEL_PASSWORD = "a separate password for the Sentinels";
    static final String LISTED_REPLICAS = "a master with a static list of replicas";

    private static final String PREFIX = "spring.data.redis.";
    private static final String ENVIRONMENT_PREFIX = "SPRING_DATA_REDIS_";

    /** Properties with the place of the Redis, as opposed to properties that tune a client. */
    private static final List<String> NAMING =
            List.of("host", "port", "url", "username", "password", "sentinel", "cluster", "masterreplica");

    private NamedRedis() {}

    /** The properties under {@code spring.data.redis} with the place of the Redis. */
    record Settings(
            @Nullable String url,
            @DefaultValue("localhost") String host,
            @DefaultValue("6379") int port,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue("0") int database,
            @Nullable Ssl ssl,
            @Nullable Sentinel sentinel,
            @Nullable Cluster cluster,
            @Nullable Replicas masterreplica) {

        record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {

            boolean isOn() {
                return enabled == null ? bundle != null : enabled;
            }
        }

        record Sentinel(
                @DefaultValue("") String master,
                @DefaultValue List<String> nodes,
                @Nullable String password) {}

        record Cluster(@DefaultValue List<String> nodes) {}

        record Replicas(@DefaultValue List<String> nodes) {}
    }

    public static Optional<StoreAddress> of(ConfigurableEnvironment environment) {
        if (!isNamed(environment)) {
            return Optional.empty();
        }
        Settings settings = Binder.get(environment)
                .bind("spring.data.redis", Bindable.of(Settings.class))
                .orElseThrow(() -> unsupported("unreadable settings"));
        return Optional.of(new StoreAddress(uri(settings), "spring.data.redis"));
    }

    private static String uri(Settings settings) {
        Settings.Ssl ssl = settings.ssl();
        RedisUriParts uri = new RedisUriParts(ssl != null && ssl.isOn(), settings.username(), settings.password());
        Settings.Cluster cluster = settings.cluster();
        Settings.Sentinel sentinel = settings.sentinel();
        String url = settings.url();
        if (settings.masterreplica() != null) {
            throw unsupported(LISTED_REPLICAS);
        } else if (sentinel != null) {
            if (sentinel.password() != null) {
                throw unsupported(SENTINEL_PASSWORD);
            }
            return uri.ofSentinels(sentinel.nodes(), sentinel.master(), settings.database());
        } else if (cluster != null) {
            return uri.ofCluster(cluster.nodes());
        }
        return url != null && !url.isBlank()
                ? url.strip()
                : uri.ofServer(RedisUriParts.node(settings.host(), settings.port()), settings.database());
    }

    static boolean isNamed(ConfigurableEnvironment environment) {
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

    static SluiceStartException unsupported(String what) {
        return new SluiceStartException(
                "spring.data.redis: " + what + " (expected: a server, Sentinels without a password, or a Cluster)",
                "Set sluice.redis.uri to the Redis for the counts, for example redis://127.0.0.1:6379, or set"
                        + " sluice.redis.enabled=false to count in this process only.");
    }
}
