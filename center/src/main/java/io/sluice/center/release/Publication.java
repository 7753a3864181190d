package io.sluice.center.release;

import io.sluice.core.time.Clock;
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

    private final RedisRulePublisher publisher;
    private final Clock clock;
    private volatile PublicationState state = PublicationState.UNKNOWN;
    private long comparedNanos;
    private volatile long driftNanos;
    private long driftTookNanos;
    private boolean isMirrorDue;

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
    void bring(RuleSet rules) {
        long now = clock.nanoTime();
        if (state.version() == rules.version() && now - comparedNanos < COMPARE_NANOS) {
            if (rules.version() != 0) {
                finish(rules, now);
            }
            return;
        }
        Optional<Release> current = publisher.current();
        comparedNanos = now;
        if (current.isPresent() && current.get().version() > rules.version()) {
            state = new PublicationState(
                    0,
                    "",
                    current.get().version(),
                    Optional.of("Redis has version " + current.get().version()
                            + ", which this center does not know; ./sluice center rebuild takes it over,"
                            + " or the next release replaces it"),
                    List.of());
            return;
        }
        if (current.isPresent()
                && current.get().version() == rules.version()
                && !current.get().digest().equals(rules.digest())) {
            state = new PublicationState(
                    0,
                    "",
                    rules.version(),
                    Optional.of(
                            "Redis has other rules as version " + rules.version()
                                    + "; another center seems to release to it (expected: one database for all centers of a Redis)"),
                    List.of());
            return;
        }
        if (rules.version() == 0) {
            // Nothing was released. Until then the Redis belongs to those who write hashes.
            return;
        }
        if (current.isEmpty() || current.get().version() < rules.version()) {
            isMirrorDue = release(rules);
        }
        state = new PublicationState(rules.version(), rules.digest(), rules.version(), Optional.empty(), state.drift());
        finish(rules, now);
    }

    /** Writes the mirror again. */
    void mirror() {
        publisher.mirror();
        driftNanos = clock.nanoTime() - TimeUnit.DAYS.toNanos(1);
    }

    /** Returns whether something after the release is left to do. */
    private boolean release(RuleSet rules) {
        try {
            return publisher.release(rules.version(), rules.rules()).trouble().isPresent();
        } catch (ReleaseConflictException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
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
            state = new PublicationState(rules.version(), rules.digest(), rules.version(), Optional.empty(), drift);
        }
    }

    @Override
    public void close() {
        publisher.close();
    }
}
