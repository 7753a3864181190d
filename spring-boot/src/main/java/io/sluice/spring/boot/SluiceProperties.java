package io.sluice.spring.boot;

import io.sluice.rules.pattern.PathForm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** The properties under {@code sluice.*}. The rules themselves, {@code sluice.rules}, are read separately. */
@ConfigurationProperties("sluice")
public final class SluiceProperties implements EnvironmentAware {

    /** Whether Sluice is enabled. */
    private final boolean enabled;

    /** Name of this application in rules: the attribute service of its requests. Default: spring.application.name. */
    private volatile @Nullable String service;

    /** File or directory with the rules. Changes are applied while the application runs. */
    private final @Nullable Path rulesFile;

    /** Directory for a copy of the last good rules, used when the current rules are invalid or unavailable at startup. */
    private final @Nullable Path dataDir;

    /** File with the secret key for privacy: hash. Use the same key in every process that shares a Redis. */
    private final @Nullable Path hashKeyFile;

    /** Whether responses also carry the X-RateLimit headers. */
    private final boolean xRateLimitHeaders;

    private final Redis redis;
    private final Center center;
    private final Caller caller;
    private final Paths paths;
    private final Decisions decisions;

    public SluiceProperties(
            @DefaultValue("true") boolean enabled,
            @Nullable String service,
            @Nullable Path rulesFile,
            @Nullable Path dataDir,
            @Nullable Path hashKeyFile,
            @DefaultValue("false") boolean xRateLimitHeaders,
            @DefaultValue Redis redis,
            @DefaultValue Center center,
            @DefaultValue Caller caller,
            @DefaultValue Paths paths,
            @DefaultValue Decisions decisions) {
        this.enabled = enabled;
        this.service = service;
        this.rulesFile = rulesFile;
        this.dataDir = dataDir;
        this.hashKeyFile = hashKeyFile;
        this.xRateLimitHeaders = xRateLimitHeaders;
        this.redis = redis;
        this.center = center;
        this.caller = caller;
        this.paths = paths;
        this.decisions = decisions;
    }

    /** Uses the application's name as the service name if none is configured. */
    @Override
    public void setEnvironment(Environment environment) {
        if (service == null || service.isBlank()) {
            service = environment.getProperty("spring.application.name");
        }
    }

    public boolean enabled() {
        return enabled;
    }

    /** Returns the name of this application in rules, or null if it has none. */
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

    public Center center() {
        return center;
    }

    public Caller caller() {
        return caller;
    }

    public Paths paths() {
        return paths;
    }

    public Decisions decisions() {
        return decisions;
    }

    /**
     * The shared store.
     *
     * @param enabled Whether counts are shared through Redis if one is configured. If false, this process counts alone.
     * @param uri URI of the Redis that holds the counts (redis, rediss, redis-sentinel or redis-cluster). Default: the Redis of
     *     spring.data.redis.
     * @param prefix Prefix of all keys that hold counts in Redis.
     * @param hashTag Attribute whose value decides the Redis Cluster slot, so that all counts of one value are in the same slot.
     */
    public record Redis(
            @DefaultValue("true") boolean enabled,
            @Nullable String uri,
            @DefaultValue("rate_limit") String prefix,
            @Nullable String hashTag) {}

    /**
     * The center.
     *
     * @param url URL of the center that this process reports to, such as https://center.example:8083. Rules come from it if they
     *     are neither in a file, nor in the properties, nor in Redis.
     * @param tokenFile File with the token of this process for the center. A new token takes effect immediately.
     * @param ca PEM file with the certificate of the center or of its authority. Without it, the authorities of the JVM are trusted.
     */
    public record Center(
            @Nullable String url,
            @Nullable Path tokenFile,
            @Nullable Path ca) {}

    /**
     * The settings for finding the caller's address.
     *
     * @param trustedProxies Networks of the proxies whose headers are trusted, or the number of proxies that every request passes.
     * @param headers Headers in which trusted proxies report the caller's address (x-forwarded-for, forwarded, x-real-ip).
     * @param ipv6Prefix Number of leading bits of an IPv6 address that identify a caller.
     */
    public record Caller(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("x-forwarded-for") List<String> headers,
            @DefaultValue("64") int ipv6Prefix) {}

    /**
     * The settings for comparing paths.
     *
     * @param ignoreCase Whether paths are compared without regard to case.
     * @param resolve Whether dot and dot-dot segments are resolved. Otherwise such requests are refused.
     * @param encodedSlash Whether an encoded slash is accepted as part of a path segment. Otherwise such requests are refused.
     * @param servlet Whether paths are read as a servlet container reads them, without parameters such as ;jsessionid=1. Default: true
     *     in a servlet application.
     */
    public record Paths(
            @DefaultValue("false") boolean ignoreCase,
            @DefaultValue("false") boolean resolve,
            @DefaultValue("false") boolean encodedSlash,
            @Nullable Boolean servlet) {

        /** Returns the form of paths of an application that is, or is not, in a servlet container. */
        PathForm form(boolean inContainer) {
            return new PathForm(ignoreCase, resolve, encodedSlash, servlet == null ? inContainer : servlet);
        }
    }

    /**
     * The decision log.
     *
     * @param dir Directory for files with decisions, of this process alone. Without it, no files are written.
     * @param maxSize Size at which a file is finished and the next file is started.
     * @param maxTotal Size of all files together. The oldest files are deleted first.
     * @param keep Time for which files are kept.
     * @param share Share of refused requests that are written to files and Kafka, 0 to 1.
     * @param allowedShare Share of allowed requests that are written to files and Kafka, 0 to 1.
     * @param centerAllowedShare Share of allowed requests in the sample for the center, 0 to 1.
     * @param rules Other shares for some rules, by the id of the rule.
     * @param kafka Topic of Kafka that receives decisions. Needs kafka-clients on the class path.
     */
    public record Decisions(
            @Nullable Path dir,
            @DefaultValue("64MB") DataSize maxSize,
            @DefaultValue("2GB") DataSize maxTotal,
            @DefaultValue("180d") Duration keep,
            @DefaultValue("1") double share,
            @DefaultValue("0.01") double allowedShare,
            @DefaultValue("0.01") double centerAllowedShare,
            @DefaultValue Map<String, RuleShares> rules,
            @DefaultValue Kafka kafka) {}

    /**
     * Shares of one rule in the decision log.
     *
     * @param share Share of refused requests, 0 to 1. Default: the share for all rules.
     * @param allowedShare Share of allowed requests, 0 to 1. Default: the share for all rules.
     */
    public record RuleShares(
            @Nullable Double share, @Nullable Double allowedShare) {}

    /**
     * A topic of Kafka.
     *
     * @param servers Brokers as host:port, separated by commas. Without them, nothing is sent.
     * @param topic Topic that receives decisions.
     * @param properties File with further properties of the Kafka client, such as its TLS settings.
     */
    public record Kafka(
            @Nullable String servers,
            @DefaultValue("sluice-decisions") String topic,
            @Nullable Path properties) {}
}
