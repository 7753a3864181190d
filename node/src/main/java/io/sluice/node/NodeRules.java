package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.NodeConfig.RulesFrom;
import io.sluice.rules.FileRuleSource;
import io.sluice.rules.KeptRuleSource;
import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleSet;
import io.sluice.rules.RulesRefusedException;
import io.sluice.rules.redis.RedisRuleSource;
import io.sluice.rules.spi.RuleSource;
import io.sluice.rules.spi.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules of a node, from wherever its configuration says. Safe for use by many threads. */
final class NodeRules implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRules.class);

    /** Longer than that no start waits for Redis. */
    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(2);

    /** Once it is there, its rules are worth a wait: without them everything is allowed. */
    private static final Duration READING_MAY_TAKE = Duration.ofSeconds(30);

    private final RuleSource source;

    /** The same, without what decorates it, if rules come from Redis. */
    private final @Nullable RedisRuleSource redis;

    private NodeRules(RuleSource source, @Nullable RedisRuleSource redis) {
        this.source = source;
        this.redis = redis;
    }

    /** Opens the source that a node is to begin with; fails if its rules are bad, or not for this node. */
    static NodeRules open(NodeConfig config) throws StartFailedException {
        NodeRules rules;
        try {
            rules = config.rules() instanceof RulesFrom.Store ? ofRedis(config) : new NodeRules(source(config), null);
        } catch (RulesRefusedException e) {
            int count = e.errors().size();
            throw new StartFailedException(
                    "rules: " + count + (count == 1 ? " error" : " errors") + " (expected: none; correct "
                            + (count == 1 ? "it" : "them") + " and start again)",
                    e.errors().stream().map(Object::toString).toList());
        }
        List<DocumentError> faults = vet(config).faults(rules.source.latest());
        if (!faults.isEmpty()) {
            rules.close();
            throw new StartFailedException(faults.get(0).message(), List.of());
        }
        return rules;
    }

    RuleSource source() {
        return source;
    }

    /** Whether the rules in force are those of the last run, because there are none of now yet, or bad ones. */
    boolean isKept() {
        return source instanceof KeptRuleSource kept && kept.isRestored();
    }

    /** What is wrong with the rules or where they come from, though the node decides, in sentences. */
    List<String> findings() {
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

    private static RuleSource source(NodeConfig config) throws RulesRefusedException {
        RulesFrom from = config.rules();
        if (from instanceof RulesFrom.File file) {
            return config.data().isPresent()
                    ? keptFile(file.path(), config.data().get(), vet(config))
                    : FileRuleSource.open(file.path(), Clock.system(), vet(config));
        }
        if (from instanceof RulesFrom.Text text) {
            RuleDocument document = RuleDocument.parse(text.name(), text.text());
            if (document instanceof RuleDocument.Refused refused) {
                throw new RulesRefusedException(refused.errors());
            }
            return RuleSource.fixed(new RuleSet(1, ((RuleDocument.Accepted) document).rules()));
        }
        LOG.warn("no rules: every request is allowed; give a rule file with --rules FILE");
        return RuleSource.fixed(RuleSet.none());
    }

    /**
     * Rules of Redis, of the last run while there are none yet, or none while Redis is away. Bad ones are no reason to wait: without
     * a set of the last run the start fails.
     */
    private static NodeRules ofRedis(NodeConfig config) throws RulesRefusedException {
        RedisRuleSource redis = RedisRuleSource.open(
                config.redisUri().orElseThrow(),
                NodeId.of(config),
                Clock.system(),
                config.data().flatMap(KeptRuleSource::last),
                vet(config));
        awaitFirstLook(redis);
        RuleSource rules = config.data()
                .<RuleSource>map(folder -> KeptRuleSource.over(redis, folder, Clock.system()))
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
                                    + " rate_limit_config:*, or give a rule file with --rules FILE");
        }
        return new NodeRules(rules, redis);
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

    /** Rules of a file or, if those are bad, of the last run. */
    private static RuleSource keptFile(Path path, Path folder, RuleVet vet) throws RulesRefusedException {
        FileRuleSource file = FileRuleSource.watch(path, Clock.system(), KeptRuleSource.last(folder), vet);
        RuleSource rules = KeptRuleSource.over(file, folder, Clock.system());
        if (!rules.hasRules()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return rules;
    }

    private static RuleVet vet(NodeConfig config) {
        return config.redisUri().isPresent() && config.hashKey().isEmpty() ? new HashKeyNeeded() : RuleVet.NONE;
    }
}
