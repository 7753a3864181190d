package io.sluice.rules.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.sluice.core.spi.RootCause;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.SourceWords;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Rules in Redis: those that a center released, or the founding hashes if no center did.
 *
 * <p>The version is checked every 2 s, and shortly after a message on {@code rate-limit-config-update} or a change notification
 * from Redis. Hashes are scanned after each notification of a change, after every message, and once a minute. If Redis cannot
 * send notifications (Cluster, or no permission), they are scanned every 4 s. So a change is in force within 2 s with messages,
 * and within 7 s without.
 *
 * <p>A released set has the version under which it was released, and this version only increases. The numbers of hashes end when a center
 * takes over.
 */
public final class RedisDocuments implements DocumentSource {

    private static final System.Logger LOG = System.getLogger(RedisDocuments.class.getName());
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    /** The delay between a hint and the check, so that several changes are seen together. */
    private static final Duration HINT = Duration.ofMillis(200);

    private static final Duration SCAN_UNTOLD_EVERY = Duration.ofSeconds(4);
    private static final Duration SCAN_TOLD_EVERY = Duration.ofMinutes(1);

    /** Scanning takes at most this fraction of the time, one part in five, however many keys there are. */
    private static final int SCAN_SHARE = 5;

    private static final int COMPARISON_SHARE = 20;

    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(1);
    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(3);

    private final RuleServer server;
    private final Clock clock;
    private final RuleIntake intake;
    private final AtomicBoolean told = new AtomicBoolean();
    private final AtomicBoolean changed = new AtomicBoolean(true);
    private volatile Optional<Watcher> watcher = Optional.empty();
    private volatile List<String> drift = List.of();
    private volatile long scanTookNanos;

    /** The following fields are used only by the reading thread. */
    private @Nullable RuleLine line;

    private boolean tells;
    private long scannedNanos;
    private List<String> suspected = List.of();

    private RedisDocuments(RuleServer server, String nodeId, Clock clock) {
        this.server = server;
        this.clock = clock;
        this.intake = new RuleIntake(new NodeShare(nodeId), clock);
    }

    /**
     * Prepares a source without connecting.
     *
     * @param uri {@code redis://}, {@code rediss://}, {@code redis-sentinel://}, {@code redis-cluster://} or {@code
     *     rediss-cluster://}
     * @param nodeId decides whether the node takes part in trials; must stay the same after a restart
     * @throws IllegalArgumentException if the URI is invalid
     */
    public static RedisDocuments at(String uri, String nodeId, Clock clock) {
        return new RedisDocuments(RuleServer.at(uri, CONNECTING_MAY_TAKE), nodeId, clock);
    }

    @Override
    public String name() {
        return "Redis";
    }

    @Override
    public SourceWords words() {
        return new SourceWords(
                "rules read from Redis",
                "",
                "rules from Redis refused",
                "no rules are in force yet",
                "rules cannot be read from Redis at " + server.name(),
                "rules can be read from Redis again",
                "rules cannot be read from Redis",
                "rules in Redis were refused",
                "Redis is unavailable",
                "no rules in Redis",
                "Release rules, write hashes rate_limit_config:*");
    }

    @Override
    public Duration every() {
        return LOOK_EVERY;
    }

    @Override
    public boolean takesReleases() {
        return true;
    }

    /** A center repairs a release, but not hashes. */
    @Override
    public boolean isBeingRepaired(List<DocumentError> errors) {
        return errors.stream()
                .anyMatch(error -> error.file().startsWith(RuleStore.VERSION)
                        || error.file().startsWith(RuleStore.SNAPSHOT));
    }

    @Override
    public void watch(Watcher watching) {
        watcher = Optional.of(watching);
    }

    /** Returns the hashes that differ from the released rules because something else wrote to them. Nodes ignore these changes. */
    @Override
    public List<String> findings() {
        return drift.isEmpty()
                ? List.of()
                : List.of("hashes differ from the released rules: " + String.join(", ", drift));
    }

    @Override
    public void close() {
        drop();
        server.close();
    }

    /** Announces a change, but a constant stream of messages must not cause constant scanning. Runs on threads that must not block. */
    private void hint() {
        Duration soonest = Duration.ofNanos(Math.max(HINT.toNanos(), Math.min(scanTookNanos, LOOK_EVERY.toNanos())));
        watcher.ifPresent(each -> each.changed(soonest));
    }

    @Override
    public DocumentReading read(Known known) {
        try {
            RuleLine open = line();
            open.check();
            return read(open.store(), known);
        } catch (RedisCommandExecutionException e) {
            // Redis is reachable but refused the command.
            return gone(e, false);
        } catch (RuntimeException e) {
            drop();
            return gone(e, true);
        }
    }

    private static DocumentReading gone(RuntimeException failure, boolean soon) {
        Throwable root = RootCause.of(failure);
        return new DocumentReading.Unreachable(
                RootCause.words(root), root instanceof RedisCommandExecutionException, soon);
    }

    private DocumentReading read(RuleStore store, Known known) {
        boolean news = told.getAndSet(false);
        boolean scan = changed.getAndSet(false) || news || isScanDue();
        try {
            long began = clock.nanoTime();
            DocumentReading reading = intake.look(store, known, news, scan);
            if (scan && !intake.isOwned()) {
                scanned(began);
            } else if (scan && isComparisonDue()) {
                compare(store, reading, known);
                scanned(began);
            } else if (scan) {
                changed.set(true);
            }
            return reading;
        } catch (RuntimeException e) {
            told.set(told.get() || news);
            changed.set(true);
            throw e;
        }
    }

    private boolean isScanDue() {
        boolean rarely = tells || intake.isOwned();
        long every = (rarely ? SCAN_TOLD_EVERY : SCAN_UNTOLD_EVERY).toNanos() - LOOK_EVERY.toNanos() / 2;
        return clock.nanoTime() - scannedNanos >= Math.max(every, SCAN_SHARE * scanTookNanos);
    }

    /** Comparing can wait, because nothing depends on it, and a mirror is written one hash after the other. */
    private boolean isComparisonDue() {
        return clock.nanoTime() - scannedNanos >= Math.max(LOOK_EVERY.toNanos() / 2, COMPARISON_SHARE * scanTookNanos);
    }

    private void scanned(long beganNanos) {
        scannedNanos = clock.nanoTime();
        scanTookNanos = scannedNanos - beganNanos;
    }

    /**
     * Reports a difference as drift only if two checks in a row see it. A single difference may be a mirror that is being
     * written.
     */
    private void compare(RuleStore store, DocumentReading reading, Known known) {
        RuleSet inForce = reading instanceof DocumentReading.Released released ? released.rules() : known.rules();
        boolean isMirrored =
                (known.hasRules() || reading instanceof DocumentReading.Released) && intake.isMirrored(store);
        List<String> differs = isMirrored ? Mirror.drift(store, inForce.rules()) : List.of();
        List<String> found = differs.equals(suspected) ? differs : List.of();
        if (!differs.equals(suspected)) {
            suspected = differs;
            changed.set(true);
        }
        if (!found.equals(drift) && (differs.isEmpty() || !found.isEmpty())) {
            drift = found;
            if (!found.isEmpty()) {
                LOG.log(
                        Level.WARNING,
                        "hashes differ from the released rules, which stay in force: " + String.join(", ", found));
            }
        }
    }

    private RuleLine line() {
        RuleLine open = line;
        if (open != null && open.isOpen()) {
            return open;
        }
        drop();
        RuleLine made = server.open(ANSWER_MAY_TAKE);
        try {
            made.listen(() -> {
                told.set(true);
                hint();
            });
            tells = made.track(() -> {
                changed.set(true);
                hint();
            });
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        line = made;
        // Changes before this moment were not notified.
        changed.set(true);
        watcher.ifPresent(Watcher::reached);
        return made;
    }

    private void drop() {
        RuleLine open = line;
        line = null;
        if (open != null) {
            open.close();
        }
    }
}
