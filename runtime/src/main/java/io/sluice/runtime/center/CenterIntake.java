package io.sluice.runtime.center;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.EffectiveRules;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.TrialPointer;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which rules from a center come into force. A version replaces only a lower one, and a bad version is refused as a
 * whole. The events of a change may arrive in any order: each takes effect as soon as the events that it needs have arrived. Not
 * thread-safe.
 */
final class CenterIntake {

    private static final Logger LOG = LoggerFactory.getLogger(CenterIntake.class);
    private static final int MOST_RULES = 200_000;
    private static final int EVERY_NODE = 100;
    private static final Pattern ID = Pattern.compile("([1-9][0-9]{0,14}):([0-9a-f]{64})");

    private final PublishedRules rules;
    private final EffectiveRules effective;
    private final URI origin;
    private final RuleVet vet;

    /** The released set that was in force last, including before a restart. */
    private Optional<RuleStamp> applied;

    /** True if a set of the center has been in force since the start. */
    private boolean has;

    /** The last state that could be read. */
    private CenterState state = CenterState.NONE;

    /** The last set that the center sent for a trial; null if none could be used. */
    private @Nullable RuleSet offered;

    /** Why the newest rules, the newest set on trial and the newest state were refused; empty if they were not. */
    private Optional<RefusedSet> refusedRules = Optional.empty();

    private Optional<RefusedSet> refusedTrial = Optional.empty();
    private Optional<RefusedSet> refusedState = Optional.empty();

    /** @param work runs the check when an adjustment expires, on the thread that also calls the other methods */
    CenterIntake(PublishedRules rules, URI origin, Optional<RuleStamp> last, RuleVet vet, Clock clock, Executor work) {
        this.rules = rules;
        this.effective = new EffectiveRules(rules, clock, work);
        this.origin = origin;
        this.applied = last.filter(RuleStamp::released);
        this.vet = vet;
    }

    /** Returns the set in force under the center's name for it; empty if the center has not sent it since the start. */
    Optional<String> current() {
        return has ? applied.map(CenterIntake::id) : Optional.empty();
    }

    /** May be called by any thread. */
    Adjustments adjustments() {
        return effective.adjustments();
    }

    /** Returns the reasons why adjustments were left out. May be called by any thread. */
    List<String> unfitAdjustments() {
        return effective.problems();
    }

    static String id(RuleStamp stamp) {
        return stamp.version() + ":" + stamp.digest();
    }

    /** Handles the event that the center has released nothing yet. */
    void takeNothing() {
        refusedRules = applied.map(last ->
                refusal(Optional.empty(), "version: none (expected: " + last.version() + " or higher; release again)"));
        settle();
    }

    /** Handles a released set. */
    void take(ServerEvent event) {
        refusedRules = taken(event);
        compose();
    }

    /** Returns the reason why the set was refused; empty if it is in force. */
    private Optional<RefusedSet> taken(ServerEvent event) {
        Matcher matcher = ID.matcher(event.id());
        if (!matcher.matches()) {
            return Optional.of(
                    refusal(Optional.empty(), "id: " + PrintableText.text(event.id()) + " (expected: VERSION:DIGEST)"));
        }
        RuleStamp named = new RuleStamp(Long.parseLong(matcher.group(1)), matcher.group(2), true);
        Optional<String> fault = applied.flatMap(last -> fault(last, named));
        if (fault.isPresent()) {
            return Optional.of(refusal(Optional.of(named), fault.get()));
        }
        if (has && applied.equals(Optional.of(named))) {
            return Optional.empty();
        }
        Optional<RuleSet> tried =
                held(named.version()).filter(set -> set.stamp().equals(named));
        if (tried.isPresent()) {
            publish(tried.get());
            return Optional.empty();
        }
        return read(event, Optional.of(named), this::publish);
    }

    /** Handles a set that callers try. The center's state names these callers. */
    void takeTrial(ServerEvent event) {
        Optional<RuleStamp> stamp = RuleSetText.stamp(event.data());
        boolean known = stamp.flatMap(
                        named -> held(named.version()).filter(set -> set.stamp().equals(released(named))))
                .isPresent();
        if (known) {
            refusedTrial = Optional.empty();
        } else {
            offered = null;
            refusedTrial = read(event, stamp.map(CenterIntake::released), set -> offered = set);
        }
        compose();
    }

    private static RuleStamp released(RuleStamp stamp) {
        return new RuleStamp(stamp.version(), stamp.digest(), true);
    }

    /** Handles the center's state: the trial and the adjustments. */
    void takeState(ServerEvent event) {
        try {
            if (event.tooLong()) {
                throw new IllegalArgumentException("size: too large (expected: fewer adjustments)");
            }
            state = state.followedBy(CenterState.parse(event.data()));
            refusedState = Optional.empty();
        } catch (IllegalArgumentException e) {
            refusedState = Optional.of(refusal(Optional.empty(), "state: " + e.getMessage()));
        }
        compose();
    }

    /** Returns a set that callers try, or are about to try. */
    private Optional<RuleSet> held(long version) {
        return Optional.ofNullable(offered)
                .filter(set -> set.version() == version)
                .or(() -> effective.trial().map(CallerTrial::rules).filter(set -> set.version() == version));
    }

    /** Puts the combination of the last events in force, in whatever order they arrived. */
    private void compose() {
        if (has) {
            effective.put(effective.released(), trial(), state.adjustments());
            RuleSet left = offered;
            offered = left == null || left.version() <= effective.released().version() ? null : left;
        }
        settle();
    }

    private Optional<CallerTrial> trial() {
        return split().flatMap(split -> held(wanted()).map(set -> new CallerTrial(set, split)));
    }

    private long wanted() {
        return state.trial().map(TrialPointer::version).orElse(0L);
    }

    /** Returns the callers that try a version now; empty unless this node has the version of the other callers. */
    private Optional<CallerSplit> split() {
        return state.trial()
                .filter(named -> has && state.version() == effective.released().version())
                .filter(named -> named.version() > state.version())
                .filter(named -> named.scope() instanceof TrialScope.Callers)
                .map(named -> ((TrialScope.Callers) named.scope()).split());
    }

    private Optional<RefusedSet> missingTrial() {
        if (split().isEmpty() || held(wanted()).isPresent()) {
            return Optional.empty();
        }
        return refusedTrial.or(() -> Optional.of(refusal(
                Optional.empty(),
                "trial: version " + wanted() + " was not sent (expected: its rules before the state)")));
    }

    private static Optional<String> fault(RuleStamp last, RuleStamp named) {
        if (named.version() < last.version()) {
            return Optional.of("version: " + named.version() + " (expected: " + last.version()
                    + " or higher; to go back, release the old rules under a new version)");
        }
        return named.version() == last.version() && !named.digest().equals(last.digest())
                ? Optional.of("version: " + named.version()
                        + " with other rules than before (expected: a new version for other rules)")
                : Optional.empty();
    }

    /** Reads and checks a set. Returns the reason why it was refused; empty if it was accepted. */
    private Optional<RefusedSet> read(ServerEvent event, Optional<RuleStamp> named, Consumer<RuleSet> take) {
        if (event.tooLong()) {
            return Optional.of(refusal(
                    named, "size: too large for the memory of this process (expected: fewer rules, or raise -Xmx)"));
        }
        Reading reading =
                RuleSetText.read(named.map(this::place).orElseGet(origin::toString), event.data(), MOST_RULES);
        if (reading instanceof Reading.Unusable bad) {
            return Optional.of(new RefusedSet(named, bad.errors()));
        }
        RuleSet read = ((Reading.Found) reading).rules();
        RuleSet set = read.releasedTo().isPresent() ? read : read.releasedTo(EVERY_NODE);
        if (!Optional.of(set.stamp()).equals(named)) {
            return Optional.of(
                    refusal(named, "rules: version " + set.version() + " (expected: the rules that the id names)"));
        }
        List<DocumentError> faults = vet.faults(set);
        if (!faults.isEmpty()) {
            return Optional.of(new RefusedSet(named, faults));
        }
        take.accept(set);
        return Optional.empty();
    }

    private void publish(RuleSet set) {
        RuleSet before = effective.released();
        boolean first = !has;
        has = true;
        applied = Optional.of(set.stamp());
        // The set is applied together with the center's state, so that it is never in force without its adjustments.
        effective.put(set, Optional.empty(), state.adjustments());
        if (first) {
            LOG.info(
                    "rules read from the center, version {} is in force: {} {}",
                    set.version(),
                    set.rules().size(),
                    set.rules().size() == 1 ? "rule" : "rules");
        } else {
            LOG.info(
                    "rules changed, version {} is in force: {}",
                    set.version(),
                    RuleChange.summary(RuleChange.between(before, set)));
        }
    }

    /** Reports each refusal once, and the end of a refusal. */
    private void settle() {
        Optional<RefusedSet> refusal = refusedRules.or(this::missingTrial).or(() -> refusedState);
        if (refusal.isPresent()) {
            refuse(refusal.get());
        } else if (!rules.refused().isEmpty()) {
            rules.settle();
            LOG.info(
                    "rules valid again, version {} stays in force",
                    rules.latest().version());
        }
    }

    private RefusedSet refusal(Optional<RuleStamp> stamp, String message) {
        String place = stamp.map(this::place).orElseGet(origin::toString);
        return new RefusedSet(stamp, List.of(DocumentError.of(place, message)));
    }

    private void refuse(RefusedSet set) {
        if (rules.refusedSet().equals(Optional.of(set))) {
            return;
        }
        rules.refuse(set);
        List<DocumentError> errors = set.errors();
        LOG.warn(
                "rules from the center refused, {}: {}{}",
                has ? "version " + rules.latest().version() + " stays in force" : "no rules of it are in force yet",
                errors.get(0),
                errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
    }

    private String place(RuleStamp stamp) {
        return origin + "/api/versions/" + stamp.version();
    }
}
