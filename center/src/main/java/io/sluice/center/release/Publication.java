package io.sluice.center.release;

import io.sluice.center.fleet.FleetRules;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.redis.Release;
import io.sluice.rules.redis.ReleaseConflictException;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Keeps Redis at the released version. Every step can be repeated: a snapshot is written once, the version only rises, and the
 * mirror is written anew. Reading is thread-safe; {@link #bring} is called by one thread.
 */
final class Publication implements AutoCloseable {

    /** How often Redis is compared with the release that it had. It may have been emptied or replaced. */
    private static final long COMPARE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How often the mirror is compared. That reads all of it, so it is done less often if it takes long. */
    private static final long DRIFT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long DRIFT_RARELY_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int DRIFT_SHARE = 20;

    private static final String UNKNOWN_HERE =
            ", which this center does not know; ./sluice center rebuild takes it over,"
                    + " or the next release replaces it";

    private final RedisRulePublisher publisher;
    private final Clock clock;
    private volatile PublicationState state = PublicationState.UNKNOWN;
    private long comparedNanos;
    private volatile long driftNanos;
    private long driftTookNanos;
    private boolean isMirrorDue;

    /** The version key that Redis has, and the revision of its adjustments. */
    private String brought = "";

    private long adjusted;

    Publication(RedisRulePublisher publisher, Clock clock) {
        this.publisher = publisher;
        this.clock = clock;
        this.comparedNanos = clock.nanoTime() - COMPARE_NANOS;
        this.driftNanos = clock.nanoTime() - DRIFT_NANOS;
    }

    PublicationState state() {
        return state;
    }

    /** Returns the highest version in Redis, as far as known. */
    long highest() {
        return state.highest();
    }

    /** Finds out what Redis has, before the first release of this process. */
    void look() {
        long highest = publisher.highest();
        state = new PublicationState(0, "", highest, Optional.empty(), List.of());
    }

    /** Brings Redis to these rules, unless it has them. Throws if Redis is unavailable. */
    void bring(FleetRules wanted) {
        RuleSet rules = wanted.inForce();
        long now = clock.nanoTime();
        if (state.version() == rules.version()
                && pointer(wanted).equals(brought)
                && now - comparedNanos < COMPARE_NANOS) {
            if (rules.version() != 0) {
                finish(rules, now);
            }
            adjust(wanted.adjustments(), false);
            return;
        }
        Optional<Release> current = publisher.current();
        comparedNanos = now;
        if (current.isPresent() && current.get().version() > rules.version()) {
            blocked(
                    current.get().version(),
                    "Redis has version " + current.get().version() + UNKNOWN_HERE);
            return;
        }
        if (current.isPresent()
                && current.get().version() == rules.version()
                && !current.get().digest().equals(rules.digest())) {
            blocked(
                    rules.version(),
                    "Redis has other rules as version " + rules.version()
                            + "; another center seems to release to it (expected: one database for all centers of a Redis)");
            return;
        }
        if (rules.version() == 0) {
            // Nothing was released. Until then the Redis belongs to those who write hashes.
            return;
        }
        adjust(wanted.adjustments(), true);
        if (current.isEmpty() || current.get().version() < rules.version()) {
            isMirrorDue = release(rules);
        }
        if (!bringTrial(wanted)) {
            return;
        }
        brought = pointer(wanted);
        state = new PublicationState(rules.version(), rules.digest(), highest(wanted), Optional.empty(), state.drift());
        finish(rules, now);
    }

    /** Adjustments come before the version that they lie on. Without any, ever, Redis has none. */
    private void adjust(Adjustments adjustments, boolean compare) {
        if (adjustments.revision() != 0 && (compare || adjustments.revision() != adjusted)) {
            publisher.adjust(adjustments);
            adjusted = adjustments.revision();
        }
    }

    /** Returns whether Redis has exactly the wanted trial now. */
    private boolean bringTrial(FleetRules wanted) {
        String has = publisher.pointer().orElse("");
        if (has.equals(pointer(wanted))) {
            return true;
        }
        long highest = publisher.highest();
        if (highest > highest(wanted)) {
            blocked(highest, "Redis has version " + highest + " on trial" + UNKNOWN_HERE);
            return false;
        }
        if (wanted.trial().isEmpty() || has.isEmpty()) {
            // Redis changed since it was compared. The next turn compares again.
            comparedNanos = clock.nanoTime() - COMPARE_NANOS;
            return false;
        }
        try {
            FleetRules.OnTrial trial = wanted.trial().get();
            var unused = publisher.trial(trial.rules(), trial.scope());
        } catch (ReleaseConflictException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
        return true;
    }

    private void blocked(long version, String why) {
        state = new PublicationState(0, "", version, Optional.of(why), List.of());
    }

    private static long highest(FleetRules wanted) {
        return wanted.trial()
                .map(trial -> trial.rules().version())
                .orElse(wanted.inForce().version());
    }

    private static String pointer(FleetRules wanted) {
        long version = wanted.inForce().version();
        return wanted.trial()
                .map(trial -> RedisRulePublisher.pointer(version, trial.rules().version(), trial.scope()))
                .orElseGet(() -> RedisRulePublisher.pointer(version));
    }

    /** Writes the mirror again. */
    void mirror() {
        publisher.mirror();
        driftNanos = clock.nanoTime() - TimeUnit.DAYS.toNanos(1);
    }

    /** Returns whether something after the release is left to do. */
    private boolean release(RuleSet rules) {
        try {
            if (isOnTrial(rules.version())) {
                return publisher.promote(rules.version()).trouble().isPresent();
            }
            return publisher.release(rules.version(), rules.rules()).trouble().isPresent();
        } catch (ReleaseConflictException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private boolean isOnTrial(long version) {
        return publisher.highest() == version;
    }

    private void finish(RuleSet rules, long now) {
        if (isMirrorDue) {
            publisher.mirror();
            isMirrorDue = false;
        }
        if (now - driftNanos >= Math.max(DRIFT_NANOS, Math.min(DRIFT_RARELY_NANOS, DRIFT_SHARE * driftTookNanos))) {
            driftNanos = now;
            List<String> drift = publisher.drift();
            driftTookNanos = clock.nanoTime() - now;
            state = new PublicationState(rules.version(), rules.digest(), state.highest(), Optional.empty(), drift);
        }
    }

    @Override
    public void close() {
        publisher.close();
    }
}
