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
 * The rules of a process, from a file, from Redis or from anywhere else, with the set of the last run where those of now are bad or
 * away. Safe for use by many threads.
 */
public final class OpenRules implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OpenRules.class);

    /** Longer than that no start waits for Redis. */
    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(2);

    /** Once it is there, its rules are worth a wait: without them everything is allowed. */
    private static final Duration READING_MAY_TAKE = Duration.ofSeconds(30);

    private final RuleSource source;

    /** The same, without what decorates it, if rules come from Redis. */
    private final @Nullable RedisRuleSource redis;

    private OpenRules(RuleSource source, @Nullable RedisRuleSource redis) {
        this.source = source;
        this.redis = redis;
    }

    /** Rules of any source. */
    public static OpenRules of(RuleSource source) {
        return new OpenRules(source, null);
    }

    /**
     * Rules of a file or a directory or, if those are bad, of the last run; without one of that either, they are refused.
     *
     * @param data where the last good set is kept, if it is
     * @param vet of changes, and not of the rules to begin with: whoever begins judges those
     */
    public static OpenRules ofFile(Path path, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        return of(data.isPresent() ? keptFile(path, data.get(), vet, clock) : FileRuleSource.open(path, clock, vet));
    }

    /**
     * Rules of Redis, of the last run while there are none yet, or none while Redis is away. Bad ones are no reason to wait: without
     * a set of the last run they are refused.
     *
     * @param nodeId what tells this process from others that read there
     * @param data where the last good set is kept, if it is
     * @param vet of changes, and not of the rules to begin with: whoever begins judges those
     * @param otherwise how else to have rules, for the warning that there are none
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
                            ? "no rules yet, because Redis is away: every request is allowed"
                            : "no rules in Redis: every request is allowed; release some, write hashes"
                                    + " rate_limit_config:*, or " + otherwise);
        }
        return new OpenRules(rules, redis);
    }

    public RuleSource source() {
        return source;
    }

    /** Whether the rules in force are those of the last run, because there are none of now yet, or bad ones. */
    public boolean isKept() {
        return source instanceof KeptRuleSource kept && kept.isRestored();
    }

    /** What is wrong with rules of Redis or with reading them, though the process decides, in sentences. */
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
            findings.add("rules of Redis are refused: " + refused.get(0));
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
            // Then the start goes on without.
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
