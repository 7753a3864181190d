package io.sluice.rules.source;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Composes the rules in force from a released set, a set that some callers try, and adjustments on top of both. Publishes the result as one
 * set, so that a decision never sees a mixture. Composes again when a switch expires. For implementers of {@link RuleSource}. Thread-safe.
 */
public final class EffectiveRules {

    private static final System.Logger LOG = System.getLogger(EffectiveRules.class.getName());

    /** The maximum interval between checks while there are adjustments, because wall time may jump. */
    private static final Duration CHECK_EVERY = Duration.ofMinutes(1);

    private final PublishedRules rules;
    private final Clock clock;
    private final Executor work;
    private RuleSet released = RuleSet.none();
    private @Nullable CallerTrial trial;
    private volatile Adjustments adjustments = Adjustments.NONE;
    private @Nullable Part main;
    private @Nullable Part tried;
    private Clock.@Nullable Alarm alarm;
    private volatile List<String> problems = List.of();

    /**
     * Creates an object without rules.
     *
     * @param rules the published rules to update
     * @param work the executor of the check when an adjustment expires, because composing may take long
     */
    public EffectiveRules(PublishedRules rules, Clock clock, Executor work) {
        this.rules = rules;
        this.clock = clock;
        this.work = work;
    }

    /** Returns the set in force for callers outside of a trial, as it was released. */
    public synchronized RuleSet released() {
        return released;
    }

    /** Returns the set that some callers try, as it was released; empty if there is no trial. */
    public synchronized Optional<CallerTrial> trial() {
        return Optional.ofNullable(trial);
    }

    /** Returns the adjustments, including expired adjustments. Never blocks. */
    public Adjustments adjustments() {
        return adjustments;
    }

    /** Returns sentences about adjustments that were left out. */
    public List<String> problems() {
        return problems;
    }

    /**
     * Puts the sets and the adjustments in force together. Does nothing if they have not changed. Clears a refusal only if the released set
     * has changed.
     *
     * @param trial the set that some callers try, as it was released
     */
    @SuppressWarnings("ReferenceEquality") // the same rules read twice are published twice, as a source asks for
    public synchronized void put(RuleSet released, Optional<CallerTrial> trial, Adjustments adjustments) {
        boolean another = this.released != released;
        CallerTrial before = this.trial;
        CallerTrial next = trial.orElse(null);
        boolean adjusted = !this.adjustments.equals(adjustments);
        this.released = released;
        this.trial = next;
        this.adjustments = adjustments;
        boolean changed = another || adjusted || !isSame(before, next);
        compose(another, changed);
        tell(before, next, adjusted);
    }

    /** Checks for expired adjustments. */
    public synchronized void refresh() {
        if (main != null) {
            compose(false, false);
        }
    }

    @SuppressWarnings("ReferenceEquality") // comparing rules would take longer than composing
    private static boolean isSame(@Nullable CallerTrial a, @Nullable CallerTrial b) {
        if (a == null || b == null) {
            return a == b;
        }
        return a.rules() == b.rules() && a.split().equals(b.split());
    }

    /** One of the two sets, with the adjustments that were applied to it. */
    private record Part(RuleSet released, Adjustments active, AdjustedRules adjusted) {}

    @SuppressWarnings("ReferenceEquality")
    private void compose(boolean another, boolean changed) {
        Instant now = Instant.EPOCH.plus(clock.epochMicros(), ChronoUnit.MICROS);
        Adjustments active = active(now);
        if (trial != null || !active.isEmpty()) {
            // Without this, each set that is derived from this set would have to compute the digest.
            var unused = released.digest();
        }
        Part mainBefore = main;
        Part triedBefore = tried;
        Part mainNow = part(mainBefore, released, active, now);
        Part triedNow = trial == null ? null : part(triedBefore, trial.rules(), active, now);
        main = mainNow;
        tried = triedNow;
        if (changed || mainNow != mainBefore || triedNow != triedBefore) {
            RuleSet set = mainNow.adjusted().rules();
            if (trial != null && triedNow != null) {
                set = set.trying(new CallerTrial(triedNow.adjusted().rules(), trial.split()));
            }
            report(mainNow, triedNow);
            if (another) {
                rules.publish(set);
            } else {
                rules.amend(set);
            }
        }
        await(now);
    }

    /** Returns the adjustments that have not expired. */
    private Adjustments active(Instant now) {
        if (adjustments.isEmpty()) {
            return adjustments;
        }
        List<CallerOverride> overrides = adjustments.overrides().stream()
                .filter(each -> now.isBefore(each.until()))
                .toList();
        List<ShadowSwitch> switches = adjustments.switches().stream()
                .filter(each -> now.isBefore(each.until()))
                .toList();
        return new Adjustments(adjustments.revision(), overrides, switches);
    }

    @SuppressWarnings("ReferenceEquality")
    private static Part part(@Nullable Part before, RuleSet set, Adjustments active, Instant now) {
        return before != null && before.released() == set && suffices(before.active(), active)
                ? before
                : new Part(set, active, AdjustedRules.of(set, active, now));
    }

    /** Returns whether the applied adjustments suffice. An expired override may stay, because it no longer applies by itself. */
    private static boolean suffices(Adjustments applied, Adjustments wanted) {
        return applied.equals(wanted)
                || (applied.revision() == wanted.revision()
                        && applied.switches().equals(wanted.switches())
                        && Set.copyOf(applied.overrides()).containsAll(wanted.overrides()));
    }

    /** Sets the alarm for the next switch that expires. */
    private void await(Instant now) {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        if (adjustments.isEmpty()) {
            return;
        }
        Duration wait = adjustments.switches().stream()
                .map(ShadowSwitch::until)
                .filter(now::isBefore)
                .min(Instant::compareTo)
                .map(until -> Duration.between(now, until))
                .filter(left -> left.compareTo(CHECK_EVERY) < 0)
                .orElse(CHECK_EVERY);
        alarm = clock.at(clock.nanoTime() + wait.toNanos(), () -> work.execute(this::refresh));
    }

    private void report(Part main, @Nullable Part tried) {
        List<String> now = main.adjusted().problems();
        if (tried != null) {
            // An adjustment that fits one of the two sets is not a problem.
            Set<String> unfit = tried.adjusted().problems().stream()
                    .map(EffectiveRules::adjustment)
                    .collect(Collectors.toSet());
            now = now.stream().filter(each -> unfit.contains(adjustment(each))).toList();
        }
        report(now);
    }

    private void report(List<String> now) {
        if (!now.equals(problems)) {
            problems = now;
            if (!now.isEmpty()) {
                LOG.log(Level.WARNING, () -> "adjustments that do not fit the rules are left out: " + inShort(now));
            }
        }
    }

    /** Returns the id at the beginning of a sentence. */
    private static String adjustment(String problem) {
        return problem.substring(0, problem.indexOf(": "));
    }

    private static String inShort(List<String> sentences) {
        return sentences.get(0) + (sentences.size() == 1 ? "" : " (and " + (sentences.size() - 1) + " more)");
    }

    private void tell(@Nullable CallerTrial before, @Nullable CallerTrial now, boolean adjusted) {
        List<String> changes = new ArrayList<>();
        if (now != null && !isSame(before, now)) {
            TrialPointer pointer = new TrialPointer(now.rules().version(), new TrialScope.Callers(now.split()));
            changes.add(
                    (now.split().watched() ? "callers are counted before they try version " : "callers try version ")
                            + pointer.version() + ": " + pointer.who());
        } else if (now == null && before != null) {
            changes.add("callers no longer try version " + before.rules().version());
        }
        if (adjusted) {
            changes.add("adjustments: " + inWords(adjustments));
        }
        if (!changes.isEmpty()) {
            LOG.log(Level.INFO, () -> String.join("; ", changes));
        }
    }

    private static String inWords(Adjustments adjustments) {
        if (adjustments.isEmpty()) {
            return "none";
        }
        List<String> words = new ArrayList<>();
        count(adjustments.overrides().size(), "override", "overrides").ifPresent(words::add);
        count(adjustments.switches().size(), "switch", "switches").ifPresent(words::add);
        return String.join(", ", words);
    }

    private static Optional<String> count(int number, String one, String many) {
        return number == 0 ? Optional.empty() : Optional.of(number + " " + (number == 1 ? one : many));
    }
}
