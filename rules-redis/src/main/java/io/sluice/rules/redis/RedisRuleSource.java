package io.sluice.rules.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.sluice.core.spi.RootCause;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Rules from Redis: those that a center released, or the founding hashes if no center did. Thread-safe.
 *
 * <p>The version is checked every 2 s, and shortly after a message on {@code rate-limit-config-update} or a change notification
 * from Redis. Hashes are scanned after each notification of a change, after every message, and once a minute. If Redis cannot
 * send notifications (Cluster, or no permission), they are scanned every 4 s. So a change is in force within 2 s with messages,
 * and within 7 s without.
 *
 * <p>While Redis is unavailable, the current set stays in force. All waiting for Redis happens on a dedicated thread.
 *
 * <p>A released set has the version under which it was released, and this version only increases. Hashes are numbered as {@link
 * io.sluice.rules.source.RuleFollower} numbers files. Those numbers end when a center takes over.
 */
public final class RedisRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(RedisRuleSource.class.getName());
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
    private static final Duration RETRY_SOONEST = Duration.ofMillis(200);
    private static final Duration RETRY_LATEST = Duration.ofMillis(800);

    private final RuleServer server;
    private final Clock clock;
    private final PublishedRules rules = new PublishedRules();
    private final RuleIntake intake;
    private final ExecutorService looking;
    private final CompletableFuture<Void> reached = new CompletableFuture<>();
    private final CompletableFuture<Void> looked = new CompletableFuture<>();
    private final AtomicBoolean hinted = new AtomicBoolean();
    private final AtomicBoolean told = new AtomicBoolean();
    private final AtomicBoolean changed = new AtomicBoolean(true);
    private volatile @Nullable String away;
    private volatile List<String> drift = List.of();
    private volatile long scanTookNanos;
    private volatile boolean closed;

    /** The following fields are used only by the polling thread. */
    private @Nullable RuleLine line;

    private boolean tells;
    private long scannedNanos;
    private List<String> suspected = List.of();

    /** The error with which Redis answered and that was logged last; empty if there is none. */
    private String toldAnswer = "";

    private Clock.@Nullable Alarm next;

    private RedisRuleSource(RuleServer server, String nodeId, Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        this.server = server;
        this.clock = clock;
        this.intake = new RuleIntake(rules, new NodeShare(nodeId), last, vet, clock, this::work);
        this.looking = Executors.newSingleThreadExecutor(task -> {
            Thread looker = new Thread(task, "sluice-rules-redis");
            looker.setDaemon(true);
            return looker;
        });
    }

    /**
     * Starts polling in the background. As long as Redis is unavailable or has no rules, the source is empty.
     *
     * @param uri {@code redis://}, {@code rediss://}, {@code redis-sentinel://}, {@code redis-cluster://} or {@code
     *     rediss-cluster://}
     * @param nodeId decides whether the node takes part in trials; must stay the same after a restart
     * @param last the last set before a restart, if known
     * @param vet checks every set
     * @throws IllegalArgumentException if the URI is invalid
     */
    public static RedisRuleSource open(String uri, String nodeId, Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        RedisRuleSource source = new RedisRuleSource(RuleServer.at(uri, CONNECTING_MAY_TAKE), nodeId, clock, last, vet);
        source.wake();
        return source;
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return rules.first();
    }

    @Override
    public List<DocumentError> refused() {
        return rules.refused();
    }

    @Override
    public Optional<RefusedSet> refusedSet() {
        return rules.refusedSet();
    }

    /** Returns whether a release was refused that a center can repair, in contrast to hashes. */
    public boolean isReleaseRefused() {
        return rules.refused().stream()
                .anyMatch(error -> error.file().startsWith(RuleStore.VERSION)
                        || error.file().startsWith(RuleStore.SNAPSHOT));
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public Adjustments adjustments() {
        return intake.adjustments();
    }

    @Override
    public List<String> unfitAdjustments() {
        return intake.unfitAdjustments();
    }

    /**
     * Completes when Redis was first reached, or was not reached in time. If it was reached, it is worth waiting for {@link
     * #looked}.
     */
    public CompletionStage<Void> reached() {
        return reached.minimalCompletionStage();
    }

    /** Completes after the first check, whatever its result: rules, a refusal, no rules in Redis, or Redis unavailable. */
    public CompletionStage<Void> looked() {
        return looked.minimalCompletionStage();
    }

    /** Returns why rules cannot be read from Redis now; empty if they can. */
    public Optional<String> away() {
        return Optional.ofNullable(away);
    }

    /**
     * Returns the hashes that differ from the released rules because something else wrote to them; empty if none do. Nodes ignore
     * these changes.
     */
    public List<String> drift() {
        return drift;
    }

    @Override
    public void close() {
        closed = true;
        rules.close();
        reached.complete(null);
        looked.complete(null);
        try {
            looking.execute(this::release);
        } catch (RejectedExecutionException e) {
            // Already closed.
        }
        looking.shutdown();
    }

    private void release() {
        drop();
        server.close();
    }

    /** Schedules a check because there may be news. Runs on threads that must not block. */
    private void hint() {
        if (hinted.compareAndSet(false, true)) {
            // A constant stream of messages must not cause constant scanning.
            long wait = Math.max(HINT.toNanos(), Math.min(scanTookNanos, LOOK_EVERY.toNanos()));
            clock.at(clock.nanoTime() + wait, this::wake);
        }
    }

    private void wake() {
        work(this::look);
    }

    private void work(Runnable task) {
        if (!closed) {
            try {
                looking.execute(task);
            } catch (RejectedExecutionException e) {
                // Closed in the meantime.
            }
        }
    }

    private void look() {
        if (closed) {
            return;
        }
        if (next != null) {
            next.cancel();
        }
        hinted.set(false);
        Duration pause = LOOK_EVERY;
        try {
            RuleLine open = line();
            open.check();
            look(open.store());
            back();
        } catch (RedisCommandExecutionException e) {
            // Redis is reachable but refused the command.
            gone(e);
        } catch (RuntimeException e) {
            drop();
            gone(e);
            pause = Duration.ofMillis(
                    ThreadLocalRandom.current().nextLong(RETRY_SOONEST.toMillis(), RETRY_LATEST.toMillis()));
        } finally {
            reached.complete(null);
            looked.complete(null);
            next = clock.at(clock.nanoTime() + pause.toNanos(), this::wake);
        }
    }

    private void look(RuleStore store) {
        boolean news = told.getAndSet(false);
        boolean scan = changed.getAndSet(false) || news || isScanDue();
        try {
            long began = clock.nanoTime();
            intake.look(store, news, scan);
            if (scan && !intake.isOwned()) {
                scanned(began);
            } else if (scan && isComparisonDue()) {
                compare(store);
                scanned(began);
            } else if (scan) {
                changed.set(true);
            }
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
    private void compare(RuleStore store) {
        Optional<RuleSet> released = intake.mirrored(store);
        List<String> differs =
                released.isPresent() ? Mirror.drift(store, released.get().rules()) : List.of();
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
        reached.complete(null);
        return made;
    }

    private void drop() {
        RuleLine open = line;
        line = null;
        if (open != null) {
            open.close();
        }
    }

    private void gone(RuntimeException failure) {
        Throwable root = RootCause.of(failure);
        String why = RootCause.words(root);
        // An answer is logged even after a broken connection: it will not pass by itself.
        boolean turnedAway = root instanceof RedisCommandExecutionException && !why.equals(toldAnswer);
        if (away == null || turnedAway) {
            toldAnswer = root instanceof RedisCommandExecutionException ? why : "";
            String stays = rules.latest().version() == 0
                    ? "no rules are in force yet"
                    : "version " + rules.latest().version() + " stays in force";
            LOG.log(Level.WARNING, "rules cannot be read from Redis at " + server.name() + ", " + stays + ": " + why);
        }
        away = why;
    }

    private void back() {
        if (away != null) {
            away = null;
            toldAnswer = "";
            LOG.log(Level.INFO, "rules can be read from Redis again");
        }
    }
}
