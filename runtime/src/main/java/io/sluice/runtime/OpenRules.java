package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.rules.redis.RedisRuleSource;
import io.sluice.rules.source.FileRuleSource;
import io.sluice.rules.source.KeptRuleSource;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.yaml.DocumentError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a process, from a file, Redis or another source. If the current rules are invalid or unavailable, the rules of the
 * last run are used. Thread-safe.
 */
public final class OpenRules implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OpenRules.class);

    /** The longest time that startup waits for a connection to Redis. */
    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(2);

    /** The longest time that startup waits for the rules once Redis is connected. Without them every request would be allowed. */
    private static final Duration READING_MAY_TAKE = Duration.ofSeconds(30);

    private final RuleSource source;

    /** The same source without its decorator; null if the rules do not come from Redis. */
    private final @Nullable RedisRuleSource redis;

    private OpenRules(RuleSource source, @Nullable RedisRuleSource redis) {
        this.source = source;
        this.redis = redis;
    }

    /** Uses any rule source. */
    public static OpenRules of(RuleSource source) {
        return new OpenRules(source, null);
    }

    /**
     * Opens the rules in a file or directory. If they are invalid, the rules of the last run are used; if there are none, the
     * rules are refused.
     *
     * @param data the directory that keeps the last good rules, if there is one
     * @param vet checks later changes; the caller checks the initial rules
     */
    public static OpenRules ofFile(Path path, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        return of(data.isPresent() ? keptFile(path, data.get(), vet, clock) : FileRuleSource.open(path, clock, vet));
    }

    /**
     * Opens the rules in Redis. Until they are read, the rules of the last run apply, or none if there are none. If the rules are
     * invalid and there are none of the last run, they are refused at once.
     *
     * @param nodeId distinguishes this process from others that read the same rules
     * @param data the directory that keeps the last good rules, if there is one
     * @param vet checks later changes; the caller checks the initial rules
     * @param otherwise another way to provide rules, for the warning that there are none
     * @throws IllegalArgumentException if the URI cannot be read
     */
    public static OpenRules ofRedis(
            String uri, String nodeId, Optional<Path> data, RuleVet vet, Clock clock, String otherwise)
            throws RulesRefusedException {
        RedisRuleSource redis = RedisRuleSource.open(uri, nodeId, clock, data.flatMap(KeptRuleSource::last), vet);
        awaitFirstLook(redis);
        RuleSource rules = data.<RuleSource>map(folder -> KeptRuleSource.over(redis, folder, clock))
                .orElse(redis);
        if (!rules.hasRules()) {
            if (!redis.refused().isEmpty()) {
                rules.close();
                throw new RulesRefusedException(rules.refused());
            }
            LOG.warn(
                    redis.away().isPresent()
                            ? "no rules yet, because Redis is unavailable; every request is allowed until they are read"
                            : "no rules in Redis; every request is allowed. Release rules, write hashes"
                                    + " rate_limit_config:*, or " + otherwise);
        }
        return new OpenRules(rules, redis);
    }

    public RuleSource source() {
        return source;
    }

    /** Returns whether the rules of the last run are in force, because the current ones are missing or invalid. */
    public boolean isKept() {
        return source instanceof KeptRuleSource kept && kept.isRestored();
    }

    /** Returns the problems with rules in Redis, or with reading them, that do not stop decisions, as sentences. */
    public List<String> findings() {
        if (redis == null) {
            return List.of();
        }
        List<String> findings = new ArrayList<>();
        boolean none = !source.hasRules();
        redis.away().ifPresent(why -> findings.add("rules cannot be read from Redis: " + why));
        if (none) {
            findings.add("there are no rules: every request is allowed");
        }
        List<DocumentError> refused = redis.refused();
        if (!refused.isEmpty()) {
            findings.add("rules in Redis were refused: " + refused.get(0));
        }
        List<String> drift = redis.drift();
        if (!drift.isEmpty()) {
            findings.add("hashes differ from the released rules: " + String.join(", ", drift));
        }
        return findings;
    }

    @Override
    public void close() {
        source.close();
    }

    private static void awaitFirstLook(RedisRuleSource redis) {
        try {
            redis.reached().toCompletableFuture().get(CONNECTING_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
            redis.looked().toCompletableFuture().get(READING_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Startup continues without the rules.
        }
    }

    private static RuleSource keptFile(Path path, Path folder, RuleVet vet, Clock clock) throws RulesRefusedException {
        FileRuleSource file = FileRuleSource.watch(path, clock, KeptRuleSource.last(folder), vet);
        RuleSource rules = KeptRuleSource.over(file, folder, clock);
        if (!rules.hasRules()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return rules;
    }
}
