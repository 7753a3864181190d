package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.rules.redis.RedisDocuments;
import io.sluice.rules.snapshot.RuleSet;
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
import io.sluice.runtime.center.CenterDocuments;
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

    private static final String EVERYTHING_PASSES = "every request is allowed";

    private final RuleSource source;

    /** The same source without its decorator, which does not know when a refused set has been repaired. */
    private final RuleSource newest;

    /** The same source without its decorator; null if nothing is followed. */
    private final @Nullable RuleFollower follower;

    /** Keeps the rules for the next start; null if nothing does. */
    private final @Nullable KeptRuleSource kept;

    /** Has other rules while there are none; null if nothing stands in. */
    private final @Nullable StandInRuleSource standIn;

    /** What happens while there are no rules. */
    private final String withoutRules;

    private OpenRules(
            RuleSource newest,
            @Nullable RuleFollower follower,
            @Nullable KeptRuleSource kept,
            @Nullable StandInRuleSource standIn,
            String withoutRules) {
        this.newest = newest;
        this.follower = follower;
        this.kept = kept;
        this.standIn = standIn;
        this.source = standIn != null ? standIn : own();
        this.withoutRules = withoutRules;
    }

    /** Uses any rule source. */
    public static OpenRules of(RuleSource source) {
        return new OpenRules(source, null, null, null, EVERYTHING_PASSES);
    }

    /** Keeps the rules of a source, if there is a directory for them. */
    private static OpenRules of(RuleFollower follower, Optional<Path> data, Clock clock) {
        KeptRuleSource kept =
                data.map(folder -> KeptRuleSource.over(follower, folder, clock)).orElse(null);
        return new OpenRules(follower, follower, kept, null, EVERYTHING_PASSES);
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
        OpenRules rules = of(follower, data, clock);
        if (!rules.source.hasRules()) {
            rules.close();
            throw new RulesRefusedException(rules.source.refused());
        }
        return rules;
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
        return open(RedisDocuments.at(uri, nodeId, clock), READING_MAY_TAKE, data, vet, clock);
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
        return open(DocumentSourceProvider.at(address, nodeId), READING_MAY_TAKE, data, vet, clock);
    }

    private static OpenRules open(
            DocumentSource documents, Duration readingMayTake, Optional<Path> data, RuleVet vet, Clock clock)
            throws RulesRefusedException {
        RuleFollower follower = RuleFollower.open(documents, data.flatMap(KeptRuleSource::last), vet, clock);
        awaitFirstLook(
                readingMayTake.isZero() ? follower.looked() : follower.reached(), follower.looked(), readingMayTake);
        OpenRules rules = of(follower, data, clock);
        if (!rules.source.hasRules() && documents.isBeingRepaired(follower.refused())) {
            awaitFirst(follower);
        }
        if (!rules.source.hasRules() && !follower.refused().isEmpty()) {
            rules.close();
            throw new RulesRefusedException(rules.source.refused());
        }
        return rules;
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
        // With the rules of the last run there is no reason to wait for a center that sends little.
        Duration reading = data.flatMap(KeptRuleSource::last).isPresent() ? Duration.ZERO : READING_MAY_TAKE;
        return open(new CenterDocuments(center, nodeId, clock), reading, data, vet, clock);
    }

    /**
     * Returns the same rules, or other ones while there are none.
     *
     * @param standIn the other rules
     * @param inWords what they do, such as {@code the default limit of 50/s per address applies}
     */
    public OpenRules orElse(RuleSet standIn, String inWords) {
        return new OpenRules(newest, follower, kept, StandInRuleSource.over(source, standIn), inWords);
    }

    /**
     * Logs a warning if there are no rules.
     *
     * @param otherwise another way to provide rules
     */
    public OpenRules warnIfNone(String otherwise) {
        if (!follows() && own().latest().version() == 0) {
            LOG.warn("no rules: {}; {}", withoutRules, otherwise);
        } else if (follower != null && follows() && !source.hasRules()) {
            SourceWords words = follower.source().words();
            if (follower.away().isPresent()) {
                LOG.warn("no rules yet, because {}; {} until they are read", words.awayReason(), withoutRules);
            } else {
                LOG.warn("{}; {}. {}, or {}", words.none(), withoutRules, words.remedy(), otherwise);
            }
        }
        return this;
    }

    /** Returns whether a center can release rules to this process. */
    public boolean follows() {
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
        return kept != null && kept.isRestored();
    }

    /** Returns the source without rules that stand in. */
    private RuleSource own() {
        return kept != null ? kept : newest;
    }

    /** Returns what the rules that stand in for missing ones do; empty if there are rules, or nothing stands in. */
    public Optional<String> standIn() {
        return standIn != null && standIn.isInForce() ? Optional.of(withoutRules) : Optional.empty();
    }

    /** Returns the problems with the rules, or with reading them, that do not stop decisions, as sentences. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        if (kept != null) {
            kept.trouble().ifPresent(why -> findings.add("the rules could not be saved for the next start: " + why));
        }
        RuleFollower followed = follower;
        if (followed == null) {
            refusal(SourceWords.local("").refusedFinding()).ifPresent(findings::add);
            standIn().ifPresent(inWords -> findings.add("there are no rules: " + inWords));
            return findings;
        }
        SourceWords words = followed.source().words();
        followed.away().ifPresent(why -> findings.add(words.awayFinding() + ": " + why));
        if (follows() && !source.hasRules()) {
            findings.add("there are no rules: " + withoutRules);
        }
        refusal(words.refusedFinding()).ifPresent(findings::add);
        findings.addAll(followed.source().findings());
        unfit().ifPresent(findings::add);
        if (!follows()) {
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
