package io.sluice.center.release;

import io.sluice.center.fleet.FleetRules;
import io.sluice.core.time.Clock;
import io.sluice.rules.redis.KeptRules;
import io.sluice.rules.redis.NewerLeaderException;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.redis.WantedRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps Redis at the released version. Every step can be repeated: a snapshot is written once, the version only rises, and the
 * mirror is written again. Data that something else deleted or changed is also written again, logged once, and reported as drift
 * for some minutes. Reading is thread-safe; {@link #turn} is called by one thread.
 */
final class Publication implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Publication.class);

    /** The interval of comparing Redis with its last release, because it may have been emptied or replaced. */
    private static final long COMPARE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The interval of comparing all of Redis. This reads the whole mirror, so the interval is longer if the comparison takes long. */
    private static final long DRIFT_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final long DRIFT_RARELY_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int DRIFT_SHARE = 20;

    /** The time for which a repair is reported as drift. */
    static final Duration REPAIR_SHOWN = Duration.ofMinutes(5);

    private static final int MAX_REPAIRS_SHOWN = 20;

    private final RedisRulePublisher publisher;
    private final LongPredicate running;
    private final Supplier<FleetRules> stored;
    private final Clock clock;
    private volatile long foundTerm;
    private volatile long foundRevision;
    private volatile PublicationState state = PublicationState.UNKNOWN;
    private long comparedNanos;
    private volatile long driftNanos;
    private long driftTookNanos;
    private boolean isMirrorDue;

    /** The content of Redis after the last turn; empty if unknown. */
    private Optional<WantedRules> last = Optional.empty();

    private List<String> foreignKeys = List.of();
    private List<String> foreignHashes = List.of();

    /** The time of each repair, in nanoseconds. */
    private final Map<String, Long> repairs = new LinkedHashMap<>();

    /**
     * @param running whether a node runs a version
     * @param stored reads the present rules from the database
     */
    Publication(RedisRulePublisher publisher, LongPredicate running, Supplier<FleetRules> stored, Clock clock) {
        this.publisher = publisher;
        this.running = running;
        this.stored = stored;
        this.clock = clock;
        this.comparedNanos = clock.nanoTime() - COMPARE_NANOS;
        this.driftNanos = clock.nanoTime() - DRIFT_NANOS;
    }

    PublicationState state() {
        return state;
    }

    /** Returns the highest known version in Redis. */
    long highest() {
        return state.highest();
    }

    /** Returns the highest term of another leader because of which Redis refused this center; 0 if it did not. */
    long foundTerm() {
        return foundTerm;
    }

    /** Returns the revision of the adjustments in Redis if it is higher than that of this center; otherwise 0. */
    long foundRevision() {
        return foundRevision;
    }

    /** Returns whether Redis had the rules in force at the last turn. */
    boolean has(FleetRules rules) {
        return state.version() == rules.inForce().version();
    }

    /** Reads the highest version in Redis, before the first release of this process. */
    void look(FleetRules rules) {
        WantedRules wanted = wanted(rules);
        long highest = Math.max(wanted.highest(), publisher.foreignVersion(wanted, running));
        state = new PublicationState(0, "", highest, Optional.empty(), List.of());
    }

    /**
     * Brings Redis to these rules, unless it has them. Throws if Redis is unavailable.
     *
     * @param term the term of this center; 0 if it does not lead, in which case its knowledge about Redis is no longer valid
     */
    void turn(long term, FleetRules rules) {
        if (term == 0) {
            forget();
            return;
        }
        try {
            publisher.lead(term);
            turn(rules);
        } catch (NewerLeaderException e) {
            if (e.term() > foundTerm) {
                LOG.info("nothing is released to Redis: {}", e.getMessage());
            }
            foundTerm = Math.max(foundTerm, e.term());
            forget();
        }
    }

    private void forget() {
        last = Optional.empty();
        state = new PublicationState(0, "", state.highest(), Optional.empty(), List.of());
    }

    private void turn(FleetRules rules) {
        WantedRules wanted = wanted(rules);
        long now = clock.nanoTime();
        boolean isDriftDue =
                now - driftNanos >= Math.max(DRIFT_NANOS, Math.min(DRIFT_RARELY_NANOS, DRIFT_SHARE * driftTookNanos));
        boolean isNew = wanted.inForce().version() != 0
                && state.problem().isEmpty()
                && last.filter(before -> isSame(before, wanted)).isEmpty();
        // The mirror is made from the snapshot, which may be the reason why it could not be written.
        boolean isMirrorLate = isMirrorDue;
        if (isNew || isDriftDue || isMirrorLate || now - comparedNanos >= COMPARE_NANOS) {
            // Redis is asked in each turn until it answers, so that a turn without an error means that Redis is
            // available.
            comparedNanos = now - COMPARE_NANOS;
            keep(wanted, isDriftDue || isMirrorLate);
            comparedNanos = now;
        }
        if (last.isEmpty()) {
            driftNanos = now;
            return;
        }
        if (isMirrorLate) {
            publisher.mirror();
            isMirrorDue = false;
        }
        if (isDriftDue) {
            KeptRules mirror = publisher.keepMirror(wanted.inForce().rules());
            driftNanos = now;
            driftTookNanos = clock.nanoTime() - now;
            foreignHashes = mirror.foreign();
            show(mirror.repaired());
        }
    }

    private void keep(WantedRules wanted, boolean thorough) {
        KeptRules kept = publisher.keep(wanted, last, running, thorough);
        foreignKeys = kept.foreign();
        isMirrorDue |= kept.isMirrorDue();
        foundRevision = kept.higherRevision();
        if (kept.obstacle().isPresent()) {
            KeptRules.Obstacle obstacle = kept.obstacle().get();
            if (isNews(wanted)) {
                // Another center released this version. The next turn reads it from the database.
                forget();
                return;
            }
            if (!state.problem().equals(Optional.of(obstacle.why()))) {
                LOG.warn("nothing is released to Redis: {}", obstacle.why());
            }
            last = Optional.empty();
            state = new PublicationState(0, "", obstacle.version(), Optional.of(obstacle.why()), List.of());
            return;
        }
        last = wanted.inForce().version() == 0 ? Optional.empty() : Optional.of(wanted);
        state = new PublicationState(
                wanted.inForce().version(),
                wanted.inForce().version() == 0 ? "" : wanted.inForce().digest(),
                wanted.highest(),
                Optional.empty(),
                state.drift());
        show(kept.repaired());
    }

    /** Returns whether the database has received other rules in the meantime. */
    private boolean isNews(WantedRules wanted) {
        return wanted(stored.get()).highest() != wanted.highest();
    }

    /** Logs repairs, and reports them as drift together with the foreign data that is in Redis now. */
    private synchronized void show(List<String> repaired) {
        long now = clock.nanoTime();
        repairs.values().removeIf(at -> now - at >= REPAIR_SHOWN.toNanos());
        for (String each : repaired) {
            if (repairs.putIfAbsent(each, now) == null) {
                LOG.warn("something else wrote to the rules in Redis: {}", each);
            }
        }
        while (repairs.size() > MAX_REPAIRS_SHOWN) {
            repairs.remove(repairs.keySet().iterator().next());
        }
        List<String> drift = new ArrayList<>(foreignKeys);
        drift.addAll(foreignHashes);
        drift.addAll(repairs.keySet());
        state = state.with(drift);
    }

    /**
     * Writes the mirror again and forgets the repairs. Called by the center that leads.
     *
     * @throws NewerLeaderException if another center leads
     */
    void mirror() {
        publisher.mirror();
        synchronized (this) {
            repairs.clear();
        }
        driftNanos = clock.nanoTime() - TimeUnit.DAYS.toNanos(1);
    }

    private static boolean isSame(WantedRules last, WantedRules wanted) {
        return last.pointer().equals(wanted.pointer())
                && last.adjustments().revision() == wanted.adjustments().revision();
    }

    static WantedRules wanted(FleetRules rules) {
        return new WantedRules(
                rules.inForce(),
                rules.trial().map(tried -> new WantedRules.Trial(tried.rules(), tried.scope())),
                rules.adjustments());
    }

    @Override
    public void close() {
        publisher.close();
    }
}
