package io.sluice.runtime.center;

import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.TrialPointer;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which rules of a center are for this process. A version replaces only a lower one, and a bad version is refused as a
 * whole. The events of a change may come in any order: each takes effect as soon as those that it needs have come. Not
 * thread-safe.
 */
final class CenterIntake {

    private static final int MOST_RULES = 200_000;
    private static final int EVERY_NODE = 100;
    private static final Pattern ID = Pattern.compile("([1-9][0-9]{0,14}):([0-9a-f]{64})");

    private final URI origin;
    private final RuleVet vet;

    /** The released set that was in force last, including before a restart. */
    private Optional<RuleStamp> applied;

    /** The set in force as it was released; null if none has been since the start. */
    private @Nullable RuleSet released;

    /** The set that callers try now. */
    private Optional<CallerTrial> tried = Optional.empty();

    /** The last state that could be read. */
    private CenterState state = CenterState.NONE;

    /** The last set that the center sent for a trial; null if none could be used. */
    private @Nullable RuleSet offered;

    /** Why the newest rules, the newest set on trial and the newest state were refused; empty if they were not. */
    private Optional<RefusedSet> refusedRules = Optional.empty();

    private Optional<RefusedSet> refusedTrial = Optional.empty();
    private Optional<RefusedSet> refusedState = Optional.empty();

    /** Whether the last reading was refused before there were any rules. */
    private boolean refusedBefore;

    CenterIntake(URI origin, Optional<RuleStamp> last, RuleVet vet) {
        this.origin = origin;
        this.applied = last.filter(RuleStamp::released);
        this.vet = vet;
    }

    /** Returns the set in force under the center's name for it; empty if the center has not sent it since the start. */
    Optional<String> current() {
        return released == null ? Optional.empty() : applied.map(CenterIntake::id);
    }

    static String id(RuleStamp stamp) {
        return stamp.version() + ":" + stamp.digest();
    }

    /** The center has released nothing yet. */
    DocumentReading takeNothing() {
        refusedRules = applied.map(last ->
                refusal(Optional.empty(), "version: none (expected: " + last.version() + " or higher; release again)"));
        return refusedRules.isPresent() ? reading() : missing();
    }

    /** The center has released a set. */
    DocumentReading take(ServerEvent event) {
        refusedRules = taken(event);
        return compose();
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
        if (released != null && applied.equals(Optional.of(named))) {
            return Optional.empty();
        }
        Optional<RuleSet> promoted =
                held(named.version()).filter(set -> set.stamp().equals(named));
        if (promoted.isPresent()) {
            apply(promoted.get());
            return Optional.empty();
        }
        return read(event, Optional.of(named), this::apply);
    }

    /** The center lets callers try a set. Its state says which callers. */
    DocumentReading takeTrial(ServerEvent event) {
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
        return compose();
    }

    private static RuleStamp released(RuleStamp stamp) {
        return new RuleStamp(stamp.version(), stamp.digest(), true);
    }

    /** The center says who tries what, and which adjustments apply. */
    DocumentReading takeState(ServerEvent event) {
        try {
            if (event.tooLong()) {
                throw new IllegalArgumentException("size: too large (expected: fewer adjustments)");
            }
            state = state.followedBy(CenterState.parse(event.data()));
            refusedState = Optional.empty();
        } catch (IllegalArgumentException e) {
            refusedState = Optional.of(refusal(Optional.empty(), "state: " + e.getMessage()));
        }
        return compose();
    }

    /** Returns a set that callers try, or are about to try. */
    private Optional<RuleSet> held(long version) {
        return Optional.ofNullable(offered)
                .filter(set -> set.version() == version)
                .or(() -> tried.map(CallerTrial::rules).filter(set -> set.version() == version));
    }

    /** Returns what the last events say together, in whatever order they came. */
    private DocumentReading compose() {
        RuleSet now = released;
        if (now != null) {
            tried = trial();
            RuleSet left = offered;
            offered = left == null || left.version() <= now.version() ? null : left;
        }
        return reading();
    }

    private DocumentReading reading() {
        Optional<RefusedSet> refusal = refusedRules.or(this::missingTrial).or(() -> refusedState);
        RuleSet now = released;
        if (now != null) {
            return new DocumentReading.Released(now, tried, state.adjustments(), refusal);
        }
        if (refusal.isPresent()) {
            refusedBefore = true;
            return new DocumentReading.Unreadable(refusal.get());
        }
        return refusedBefore ? missing() : new DocumentReading.Unchanged();
    }

    private DocumentReading missing() {
        refusedBefore = false;
        return new DocumentReading.Missing(
                DocumentError.of(origin.toString(), "version: none (expected: released rules)"));
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
                .filter(named -> released != null && state.version() == released.version())
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

    private void apply(RuleSet set) {
        released = set;
        tried = Optional.empty();
        applied = Optional.of(set.stamp());
    }

    private RefusedSet refusal(Optional<RuleStamp> stamp, String message) {
        String place = stamp.map(this::place).orElseGet(origin::toString);
        return new RefusedSet(stamp, List.of(DocumentError.of(place, message)));
    }

    private String place(RuleStamp stamp) {
        return origin + "/api/versions/" + stamp.version();
    }
}
