package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.rules.redis.RedisDocuments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.DocumentSourceProvider;
import io.sluice.rules.source.FileDocuments;
import io.sluice.rules.source.KeptRuleSource;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.source.SourceWords;
import io.sluice.rules.source.StandInRuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterRuleSource;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a process, from a file, Redis, a center or another source. If the current rules are invalid or unavailable, the
 * rules of the last run are used. Thread-safe.
 */
public final class OpenRules implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OpenRules.class);

    /** The longest time that startup waits for a connection to Redis or to a center. */
    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(2);

    /** The longest time that startup waits for the rules once it is connected. Without them every request would be allowed. */
    private static final Duration READING_MAY_TAKE = Duration.ofSeconds(30);

    /** The longest time that startup waits for a center to write a damaged release to Redis again, which it does within seconds. */
    private static final Duration REPAIR_MAY_TAKE = Duration.ofSeconds(10);

    private final RuleSource source;

    /** The same source without its decorator, which does not know when a refused set has been repaired. */
    private final RuleSource newest;

    /** The same source without its decorator; null if nothing is followed. */
    private final @Nullable RuleFollower follower;

    /** The same source without its decorator; null if the rules do not come from a center over HTTP. */
    private final @Nullable CenterRuleSource center;

    /** What happens while there are no rules. */
    private final String withoutRules;

    private OpenRules(RuleSource source, RuleSource newest) {
        this(source, newest, "every request is allowed");
    }

    private OpenRules(RuleSource source, RuleSource newest, String withoutRules) {
        this.source = source;
        this.newest = newest;
        this.follower = newest instanceof RuleFollower found ? found : null;
        this.center = newest instanceof CenterRuleSource found ? found : null;
        this.withoutRules = withoutRules;
    }

    /** Uses any rule source. */
    public static OpenRules of(RuleSource source) {
        return new OpenRules(source, source);
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
        return begin(new FileDocuments(path), data, vet, clock);
    }

    /**
     * Opens the rules of a source that is read at once. If they are invalid, the rules of the last run are used; if there are none, the
     * rules are refused.
     *
     * @param data the directory that keeps the last good rules, if there is one
     * @param vet checks later changes; the caller checks the initial rules
     */
    public static OpenRules begin(DocumentSource documents, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        RuleFollower follower = RuleFollower.begin(documents, data.flatMap(KeptRuleSource::last), vet, clock);
        RuleSource rules = data.<RuleSource>map(folder -> KeptRuleSource.over(follower, folder, clock))
                .orElse(follower);
        if (!rules.hasRules()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return new OpenRules(rules, follower);
    }

    /**
     * Opens the rules in Redis. Until they are read, the rules of the last run apply, or none if there are none. If the rules are
     * invalid and there are none of the last run, they are refused: hashes at once, a release if no center repairs it within 10 s.
     *
     * @param nodeId distinguishes this process from others that read the same rules
     * @param data the directory that keeps the last good rules, if there is one
     * @param vet checks later changes; the caller checks the initial rules
     * @throws IllegalArgumentException if the URI cannot be read
     */
    public static OpenRules ofRedis(String uri, String nodeId, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        return open(RedisDocuments.at(uri, nodeId, clock), data, vet, clock);
    }

    /**
     * Opens the rules at an address, which a {@link DocumentSourceProvider} on the class path opens. Until they are read, the rules of the
     * last run apply, or none if there are none.
     *
     * @param nodeId distinguishes this process from others that read the same rules
     * @param data the directory that keeps the last good rules, if there is one
     * @param vet checks every set
     * @throws IllegalArgumentException if nothing on the class path opens such an address
     */
    public static OpenRules at(URI address, String nodeId, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        return open(DocumentSourceProvider.at(address, nodeId), data, vet, clock);
    }

    private static OpenRules open(DocumentSource documents, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        RuleFollower follower = RuleFollower.open(documents, data.flatMap(KeptRuleSource::last), vet, clock);
        awaitFirstLook(follower.reached(), follower.looked(), READING_MAY_TAKE);
        RuleSource rules = data.<RuleSource>map(folder -> KeptRuleSource.over(follower, folder, clock))
                .orElse(follower);
        if (!rules.hasRules() && documents.isBeingRepaired(follower.refused())) {
            awaitFirst(follower);
        }
        if (!rules.hasRules() && !follower.refused().isEmpty()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return new OpenRules(rules, follower);
    }

    /**
     * Opens the rules of a center. Until they are read, the rules of the last run apply, or none if there are none. If the rules
     * are invalid and there are none of the last run, they are refused at once.
     *
     * @param nodeId distinguishes this process from others that read the same rules
     * @param data the directory that keeps the last good rules, if there is one
     * @param vet checks later changes; the caller checks the initial rules
     */
    public static OpenRules ofCenter(Center center, String nodeId, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        Optional<RuleStamp> last = data.flatMap(KeptRuleSource::last);
        CenterRuleSource source = CenterRuleSource.open(center, nodeId, clock, last, vet);
        if (last.isPresent()) {
            // With the rules of the last run there is no reason to wait for a center that says little.
            awaitFirstLook(source.looked(), source.looked(), Duration.ZERO);
        } else {
            awaitFirstLook(source.reached(), source.looked(), READING_MAY_TAKE);
        }
        RuleSource rules = data.<RuleSource>map(folder -> KeptRuleSource.over(source, folder, clock))
                .orElse(source);
        if (!rules.hasRules() && !source.refused().isEmpty()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return new OpenRules(rules, source);
    }

    /**
     * Returns the same rules, or other ones while there are none.
     *
     * @param standIn the other rules
     * @param inWords what they do, such as {@code the default limit of 50/s per address applies}
     */
    public OpenRules orElse(RuleSet standIn, String inWords) {
        return new OpenRules(StandInRuleSource.over(source, standIn), newest, inWords);
    }

    /**
     * Logs a warning if there are no rules.
     *
     * @param otherwise another way to provide rules
     */
    public OpenRules warnIfNone(String otherwise) {
        if (center != null && !source.hasRules()) {
            LOG.warn(
                    center.lost().isPresent()
                            ? "no rules yet, because the center is lost; {} until they are read"
                            : "the center has released no rules; {}. Release rules, or {}",
                    withoutRules,
                    otherwise);
        } else if (center == null && !takesReleases() && own().latest().version() == 0) {
            LOG.warn("no rules: {}; {}", withoutRules, otherwise);
        } else if (follower != null && takesReleases() && !source.hasRules()) {
            SourceWords words = follower.source().words();
            if (follower.away().isPresent()) {
                LOG.warn("no rules yet, because {}; {} until they are read", words.awayReason(), withoutRules);
            } else {
                LOG.warn("{}; {}. {}, or {}", words.none(), withoutRules, words.remedy(), otherwise);
            }
        }
        return this;
    }

    /** Returns whether a center can release rules to this process: whether they come from Redis or from a center. */
    public boolean follows() {
        return center != null || takesReleases();
    }

    private boolean takesReleases() {
        return follower != null && follower.source().takesReleases();
    }

    public RuleSource source() {
        return source;
    }

    /** Returns the newest set if it was refused, with its version if that is known. */
    public Optional<RefusedSet> refusedSet() {
        return newest.refusedSet();
    }

    /** Returns whether the rules of the last run are in force, because the current ones are missing or invalid. */
    public boolean isKept() {
        return own() instanceof KeptRuleSource kept && kept.isRestored();
    }

    /** Returns the source without rules that stand in. */
    private RuleSource own() {
        return source instanceof StandInRuleSource standIn ? standIn.source() : source;
    }

    /** Returns what the rules that stand in for missing ones do; empty if there are rules, or nothing stands in. */
    public Optional<String> standIn() {
        return source instanceof StandInRuleSource standIn && standIn.isInForce()
                ? Optional.of(withoutRules)
                : Optional.empty();
    }

    /** Returns the problems with the rules, or with reading them, that do not stop decisions, as sentences. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        if (own() instanceof KeptRuleSource kept) {
            kept.trouble().ifPresent(why -> findings.add("the rules could not be saved for the next start: " + why));
        }
        if (center != null) {
            center.lost().ifPresent(why -> findings.add("the center is lost: " + why));
            if (!source.hasRules()) {
                findings.add("there are no rules: " + withoutRules);
            }
            refusal("rules of the center were refused").ifPresent(findings::add);
            unfit().ifPresent(findings::add);
            return findings;
        }
        RuleFollower followed = follower;
        if (followed == null) {
            standIn().ifPresent(inWords -> findings.add("there are no rules: " + inWords));
            return findings;
        }
        SourceWords words = followed.source().words();
        followed.away().ifPresent(why -> findings.add(words.awayFinding() + ": " + why));
        if (takesReleases() && !source.hasRules()) {
            findings.add("there are no rules: " + withoutRules);
        }
        refusal(words.refusedFinding()).ifPresent(findings::add);
        findings.addAll(followed.source().findings());
        unfit().ifPresent(findings::add);
        if (!takesReleases()) {
            standIn().ifPresent(inWords -> findings.add("there are no rules: " + inWords));
        }
        return findings;
    }

    private Optional<String> unfit() {
        List<String> problems = newest.unfitAdjustments();
        return problems.isEmpty()
                ? Optional.empty()
                : Optional.of("adjustments that do not fit the rules are left out: " + String.join("; ", problems));
    }

    private Optional<String> refusal(String what) {
        List<DocumentError> errors = newest.refused();
        return errors.isEmpty()
                ? Optional.empty()
                : Optional.of(what + ": " + errors.get(0)
                        + (errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)"));
    }

    @Override
    public void close() {
        source.close();
    }

    private static void awaitFirstLook(
            CompletionStage<Void> reached, CompletionStage<Void> looked, Duration readingMayTake) {
        try {
            reached.toCompletableFuture().get(CONNECTING_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
            looked.toCompletableFuture().get(readingMayTake.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Startup continues without the rules.
        }
    }

    private static void awaitFirst(RuleSource rules) {
        try {
            rules.first().toCompletableFuture().get(REPAIR_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The caller sees that there are no rules.
        }
    }
}
