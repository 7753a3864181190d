package io.sluice.spring.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** What an application says of Sluice under {@code sluice.*}; the rules themselves, {@code sluice.rules}, are read apart. */
@ConfigurationProperties("sluice")
public final class SluiceProperties implements EnvironmentAware {

    /** Whether Sluice is part of the application at all. */
    private final boolean enabled;

    /** What rules know this application by, as the attribute service of its requests; spring.application.name unless set. */
    private volatile @Nullable String service;

    /** File or directory with the rules, watched for changes. */
    private final @Nullable Path rulesFile;

    /** Directory in which the last good rules are kept for a start at which those of now are bad or away. */
    private final @Nullable Path dataDir;

    /** File with the key of privacy: hash, the same in every process that shares a Redis. */
    private final @Nullable Path hashKeyFile;

    /** Whether answers carry the X-RateLimit headers, too. */
    private final boolean xRateLimitHeaders;

    private final Redis redis;
    private final Client client;
    private final Paths paths;

    public SluiceProperties(
            @DefaultValue("true") boolean enabled,
            @Nullable String service,
            @Nullable Path rulesFile,
            @Nullable Path dataDir,
            @Nullable Path hashKeyFile,
            @DefaultValue("false") boolean xRateLimitHeaders,
            @DefaultValue Redis redis,
            @DefaultValue Client client,
            @DefaultValue Paths paths) {
        this.enabled = enabled;
        this.service = service;
        this.rulesFile = rulesFile;
        this.dataDir = dataDir;
        this.hashKeyFile = hashKeyFile;
        this.xRateLimitHeaders = xRateLimitHeaders;
        this.redis = redis;
        this.client = client;
        this.paths = paths;
    }

    /** The name of the application is what its service is called unless somebody says otherwise. */
    @Override
    public void setEnvironment(Environment environment) {
        if (service == null || service.isBlank()) {
            service = environment.getProperty("spring.application.name");
        }
    }

    public boolean enabled() {
        return enabled;
    }

    /** What rules know this application by; null if it has no name. */
    public @Nullable String service() {
        return service;
    }

    public Optional<Path> rulesFile() {
        return Optional.ofNullable(rulesFile);
    }

    public Optional<Path> dataDir() {
        return Optional.ofNullable(dataDir);
    }

    public Optional<Path> hashKeyFile() {
        return Optional.ofNullable(hashKeyFile);
    }

    public boolean xRateLimitHeaders() {
        return xRateLimitHeaders;
    }

    public Redis redis() {
        return redis;
    }

    public Client client() {
        return client;
    }

    public Paths paths() {
        return paths;
    }

    /**
     * The shared store.
     *
     * @param enabled Whether counts are shared through Redis where one is configured; false limits in this process alone.
     * @param uri Redis that holds the counts (redis, rediss, redis-sentinel or redis-cluster), in place of the one of spring.data.redis.
     * @param prefix What the names of all counts in Redis start with.
     * @param hashTag Attribute of which the counts of one value are kept in one slot of a Redis Cluster.
     */
    public record Redis(
            @DefaultValue("true") boolean enabled,
            @Nullable String uri,
            @DefaultValue("rate_limit") String prefix,
            @Nullable String hashTag) {}

    /**
     * Who called.
     *
     * @param trustedProxies Networks of the proxies whose headers are believed, or how many proxies every request comes through.
     * @param headers Headers in which the trusted proxies tell who called them (x-forwarded-for, forwarded, x-real-ip).
     * @param ipv6Prefix Bits of an IPv6 address that tell callers apart.
     */
    public record Client(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("x-forwarded-for") List<String> headers,
            @DefaultValue("64") int ipv6Prefix) {}

    /**
     * How paths are compared.
     *
     * @param ignoreCase Whether paths are compared in small letters.
     * @param resolve Whether dot-dot segments and double slashes at the start are resolved instead of refused.
     * @param encodedSlash Whether an encoded slash is taken as part of a name instead of refused.
     */
    public record Paths(
            @DefaultValue("false") boolean ignoreCase,
            @DefaultValue("false") boolean resolve,
            @DefaultValue("false") boolean encodedSlash) {}
}
