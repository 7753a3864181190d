package io.sluice.core;

import io.sluice.core.internal.DurationText;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request: whether it may pass, and the limit that decided. Immutable. {@link #toString} is a sentence that
 * does not contain the key.
 *
 * <p>A refusal reports the first limit that refuses, in the order of the demands. An allowed decision reports the limit with
 * the fewest permits remaining. Times are exact to the microsecond.
 */
public abstract sealed class Decision permits AskDecision, BucketDecision, DemandsDecision {

    private static final int NOBODY = -1;

    Decision() {}

    /** Returns the engine's decision, or the failure policy's decision if a closed engine left the ask undecided. */
    static Decision of(Ask ask, Outcome outcome, Clock clock) {
        if (outcome instanceof EngineDecision decided) {
            return new AskDecision(ask, decided);
        }
        boolean open = ask.onFailure() == FailurePolicy.OPEN;
        return new AskDecision(
                ask, new EngineDecision(open, List.of(), clock.epochMicros(), ((EngineFailure) outcome).reason()));
    }

    /** Returns whether the request may pass. */
    public abstract boolean allowed();

    /** Returns the limit that decided, or null if no limit was asked. */
    public @Nullable Limit limit() {
        int by = by();
        return by == NOBODY ? null : ask().demands().get(by).limit();
    }

    /** Returns the demand on {@link #limit()}, or null if no limit was asked. */
    public @Nullable Demand demand() {
        int by = by();
        return by == NOBODY ? null : ask().demands().get(by);
    }

    /** Returns the name of {@link #limit()} in reports. */
    public @Nullable Label label() {
        int by = by();
        return by == NOBODY ? null : ask().demands().get(by).label();
    }

    /** Returns the permits left on {@link #limit()} after the decision. */
    public long remaining() {
        int by = by();
        return by == NOBODY ? Long.MAX_VALUE : outcome().verdicts().get(by).remaining();
    }

    /**
     * Returns the time until all refusing limits would let a lone caller pass: zero if the request is allowed, empty if waiting
     * will never help.
     */
    public Optional<Duration> retryAfter() {
        return duration(retryAfterMicros());
    }

    /** Returns the time until {@link #limit()} is as if unused, or empty if waiting does not achieve this. */
    public Optional<Duration> resetAfter() {
        int by = by();
        return duration(by == NOBODY ? 0 : outcome().verdicts().get(by).resetAfterMicros());
    }

    /** Returns the time that the caller must wait for its time slot; zero if it may proceed now. */
    public Duration waitFor() {
        return Duration.of(waitMicros(), ChronoUnit.MICROS);
    }

    long waitMicros() {
        long wait = 0;
        if (allowed()) {
            for (Verdict verdict : outcome().verdicts()) {
                wait = Math.max(wait, verdict.waitMicros());
            }
        }
        return wait;
    }

    /** Returns the reason why the intended engine did not decide, such as {@code redis-timeout}, or null if it did. */
    public @Nullable String degraded() {
        return outcome().degraded();
    }

    /** Returns the version of the rules in force, or 0 without rules. */
    public long ruleVersion() {
        return ask().ruleVersion();
    }

    /** Returns the ask that was decided. */
    public abstract Ask ask();

    /** Returns the verdicts of all limits. */
    public abstract EngineDecision outcome();

    /** Returns the charges of permits that are held until they are given back. */
    List<Charge> held() {
        return outcome().charges(ask()).stream().filter(Charge::isHeld).toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(allowed() ? "allowed" : "refused");
        int by = by();
        if (by == NOBODY) {
            text.append(": no limit applies");
        } else {
            text.append(" by ").append(limit()).append(": ").append(remaining()).append(" remaining");
            if (!allowed()) {
                text.append(outcome().verdicts().get(by).keptForOthers() ? " and kept for others" : "");
                long retry = retryAfterMicros();
                text.append(
                        retry == Verdict.NEVER
                                ? ", waiting will not help"
                                : ", retry after " + DurationText.text(retry));
                int slowest = slowest();
                text.append(
                        slowest == by
                                ? ""
                                : " because of " + ask().demands().get(slowest).limit());
            }
        }
        return degraded() == null ? text.toString() : text + " (degraded: " + degraded() + ")";
    }

    private long retryAfterMicros() {
        long retry = 0;
        for (Verdict verdict : outcome().verdicts()) {
            if (!verdict.fits()) {
                retry = Math.max(retry, verdict.retryAfterMicros());
            }
        }
        return retry;
    }

    /**
     * Returns the position of the limit that determines the time to wait: the reported limit unless another limit refuses for
     * longer.
     */
    private int slowest() {
        List<Verdict> verdicts = outcome().verdicts();
        int slowest = by();
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            if (!verdict.fits()
                    && verdict.retryAfterMicros() > verdicts.get(slowest).retryAfterMicros()) {
                slowest = i;
            }
        }
        return slowest;
    }

    /** Returns the position of the limit that is reported, or {@link #NOBODY}. */
    private int by() {
        List<Verdict> verdicts = outcome().verdicts();
        int least = NOBODY;
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            if (!verdict.fits()) {
                return i;
            }
            if (least == NOBODY || verdict.remaining() < verdicts.get(least).remaining()) {
                least = i;
            }
        }
        return least;
    }

    private static Optional<Duration> duration(long micros) {
        return micros == Verdict.NEVER ? Optional.empty() : Optional.of(Duration.of(micros, ChronoUnit.MICROS));
    }
}
