package io.sluice.runtime;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.CallerPlace;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions and answers of upstreams: all of them, and during a trial those of each side and group. Looks are not counted.
 * Thread-safe. A decision costs one addition, and one more if it is refused or degraded; during a trial twice that.
 */
public final class Tallies implements RulingListener {

    private final Counts all = new Counts();

    /** The counts of the trial that the process saw last. They continue if the same version is tried again. */
    private volatile @Nullable TrialCounts last;

    /** The callers on trial; null if there are none. */
    private volatile @Nullable CallerSplit split;

    /** Starts to follow the trials of a source. */
    public void watch(RuleSource rules) {
        rules.listen(new RuleListener() {
            @Override
            public void changed(RuleSet set) {
                tried(set.trial());
            }

            @Override
            public void refused(List<DocumentError> errors) {
                // The trial continues.
            }
        });
    }

    private void tried(@Nullable CallerTrial trial) {
        TrialCounts before = last;
        if (trial != null
                && (before == null || before.rules.version() != trial.rules().version())) {
            last = new TrialCounts(trial.rules());
        }
        split = trial == null ? null : trial.split();
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        if (ruling.looked()) {
            return;
        }
        all.add(ruling);
        Counts own = counts(ruling.place());
        if (own != null) {
            own.add(ruling);
        }
    }

    /** The request is counted at its next ruling. */
    @Override
    public void passedEarly(Ruling.Settled ruling, long elapsedNanos) {
        // Nothing is decided yet.
    }

    /**
     * Counts the answer of an upstream.
     *
     * @param ruling the ruling that let the request pass; null if no rule had to be asked
     * @param status the status of the answer; 0 if there was none
     * @param nanos the time from sending the request until the head of the answer arrived, or until it was clear that none would
     */
    public void answered(Ruling.@Nullable Settled ruling, int status, long nanos) {
        all.add(status, nanos);
        Counts own = ruling == null ? null : counts(ruling.place());
        if (own != null) {
            own.add(status, nanos);
        }
    }

    /** Returns the counts of a caller's side and group; null if the caller is in no trial, or in another one. */
    private @Nullable Counts counts(@Nullable CallerPlace place) {
        if (place == null) {
            return null;
        }
        TrialCounts counts = last;
        return counts == null || counts.rules.version() != place.trial()
                ? null
                : (place.onTrial() ? counts.trial : counts.control)[place.group()];
    }

    /** Returns the counts since the process started. */
    public Tally all() {
        return all.tally();
    }

    /** Returns the counts since callers started to try a version; empty if they try none. */
    public Optional<TrialReport> trial() {
        TrialCounts counts = last;
        CallerSplit who = split;
        return counts == null || who == null ? Optional.empty() : Optional.of(counts.report(who));
    }

    private static final class TrialCounts {
        private final RuleSet rules;
        private final Counts[] trial = groups();
        private final Counts[] control = groups();

        TrialCounts(RuleSet rules) {
            this.rules = rules;
        }

        private static Counts[] groups() {
            return Stream.generate(Counts::new).limit(CallerSplit.GROUPS).toArray(Counts[]::new);
        }

        TrialReport report(CallerSplit who) {
            return new TrialReport(
                    rules.version(),
                    rules.digest(),
                    who.sharePercent(),
                    who.watched(),
                    tallies(trial),
                    tallies(control));
        }

        private static List<Tally> tallies(Counts[] counts) {
            return Arrays.stream(counts).map(Counts::tally).toList();
        }
    }

    private static final class Counts {
        private final LongAdder requests = new LongAdder();
        private final LongAdder refused = new LongAdder();
        private final LongAdder degraded = new LongAdder();
        private final LongAdder answers = new LongAdder();
        private final LongAdder errors = new LongAdder();
        private final LongAdder latencyMicros = new LongAdder();

        void add(Ruling.Settled ruling) {
            requests.increment();
            if (!ruling.allowed()) {
                refused.increment();
            }
            if (ruling.degraded() != null) {
                degraded.increment();
            }
        }

        void add(int status, long nanos) {
            answers.increment();
            latencyMicros.add(TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos)));
            if (status == 0 || status >= 500) {
                errors.increment();
            }
        }

        /** Reads the parts before the whole, so that no report has more refusals than requests. */
        Tally tally() {
            long refusedNow = refused.sum();
            long degradedNow = degraded.sum();
            long errorsNow = errors.sum();
            long latencyNow = latencyMicros.sum();
            return new Tally(requests.sum(), refusedNow, degradedNow, answers.sum(), errorsNow, latencyNow);
        }
    }
}
