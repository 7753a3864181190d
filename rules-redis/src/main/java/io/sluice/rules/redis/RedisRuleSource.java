package io.sluice.rules.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.PublishedRules;
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
 * Rules from Redis: what a center released, or the founding hashes where no center did. Safe for use by many threads.
 *
 * <p>The version is looked at every 2 s, and a moment after a message on {@code rate-limit-config-update} or a change that Redis tells
 * of. Hashes are scanned when Redis tells that one changed, after every message, and once a minute; every 4 s where Redis cannot tell
 * (Cluster, or no permission). So a change is in force within 2 s with messages and within 7 s without.
 *
 * <p>While Redis is away the set stays in force. Everything that waits for Redis does so on a thread of the source's own.
 *
 * <p>Released sets have the version they were released under, and it only rises. Hashes are numbered as {@link
 * io.sluice.rules.source.FileRuleSource} numbers files; those numbers end when a center takes over.
 */
public final class RedisRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(RedisRuleSource.class.getName());
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    /** Between a hint and the look, so that what comes together is seen together. */
    private static final Duration HINT = Duration.ofMillis(200);

    private static final Duration SCAN_UNTOLD_EVERY = Duration.ofSeconds(4);
    private static final Duration SCAN_TOLD_EVERY = Duration.ofMinutes(1);

    /** Scanning takes at most one part in so many of the time, however many keys there are. */
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

    /** What follows is touched only by the looking thread. */
    private @Nullable RuleLine line;

    private boolean tells;
    private long scannedNanos;
    private List<String> suspected = List.of();
    private Clock.@Nullable Alarm next;

    private RedisRuleSource(RuleServer server, String nodeId, Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        this.server = server;
        this.clock = clock;
        this.intake = new RuleIntake(rules, new NodeShare(nodeId), last, vet, clock);
        this.looking = Executors.newSingleThreadExecutor(task -> {
            Thread looker = new Thread(task, "sluice-rules-redis");
            looker.setDaemon(true);
            return looker;
        });
    }

    /**
     * Looks and keeps looking, in the background. While Redis is away, or has no rules, the source has none until it has.
     *
     * @param uri {@code redis://}, {@code rediss://}, {@code redis-sentinel://}, {@code redis-cluster://} or {@code rediss-cluster://}
     * @param nodeId decides whether the node is among those who try a version first; the same after a restart
     * @param last the last set before a restart, if it is known
     * @param vet of every set
     * @throws IllegalArgumentException if the URI cannot be read
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
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    /** Done when Redis was first reached, or was not in time: if it was, {@link #looked} is worth waiting for. */
    public CompletionStage<Void> reached() {
        return reached.minimalCompletionStage();
    }

    /** Done after the first look, whatever it saw: then there are rules, or a refusal, or none in Redis, or Redis is away. */
    public CompletionStage<Void> looked() {
        return looked.minimalCompletionStage();
    }

    /** Why rules cannot be read from Redis now; empty if they can. */
    public Optional<String> away() {
        return Optional.ofNullable(away);
    }

    /** Hashes that are not what was released, because somebody else wrote to them: nobody obeys them. Empty if all is well. */
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
            // Closed before.
        }
        looking.shutdown();
    }

    private void release() {
        drop();
        server.close();
    }

    /** Somebody says that there is news. Runs on threads that must not wait. */
    private void hint() {
        if (hinted.compareAndSet(false, true)) {
            // Who talks without end does not make it scan without end.
            long wait = Math.max(HINT.toNanos(), Math.min(scanTookNanos, LOOK_EVERY.toNanos()));
            clock.at(clock.nanoTime() + wait, this::wake);
        }
    }

    private void wake() {
        if (!closed) {
            try {
                looking.execute(this::look);
            } catch (RejectedExecutionException e) {
                // Closed meanwhile.
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
            // Redis is there, and does not want to.
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

    /** Nobody waits for it, and a mirror is written one hash after the other. */
    private boolean isComparisonDue() {
        return clock.nanoTime() - scannedNanos >= Math.max(LOOK_EVERY.toNanos() / 2, COMPARISON_SHARE * scanTookNanos);
    }

    private void scanned(long beganNanos) {
        scannedNanos = clock.nanoTime();
        scanTookNanos = scannedNanos - beganNanos;
    }

    /** What differs twice in a row is drift; once, it may be a mirror that is just being written. */
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
        // Whatever was told until now was told to nobody.
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
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String why = String.valueOf(root.getMessage());
        if (away == null) {
            String stays = rules.latest().version() == 0
                    ? "there are none yet"
                    : "version " + rules.latest().version() + " stays in force";
            LOG.log(Level.WARNING, "rules cannot be read from Redis at " + server.name() + ", " + stays + ": " + why);
        }
        away = why;
    }

    private void back() {
        if (away != null) {
            away = null;
            LOG.log(Level.INFO, "rules are read from Redis again");
        }
    }
}
