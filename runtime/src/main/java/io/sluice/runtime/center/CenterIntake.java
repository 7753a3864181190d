package io.sluice.runtime.center;

import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which rules from a center come into force. A version replaces only a lower one, and a bad version is refused as a
 * whole. Not thread-safe.
 */
final class CenterIntake {

    private static final Logger LOG = LoggerFactory.getLogger(CenterIntake.class);
    private static final int MOST_RULES = 200_000;
    private static final int EVERY_NODE = 100;
    private static final Pattern ID = Pattern.compile("([1-9][0-9]{0,14}):([0-9a-f]{64})");

    private final PublishedRules rules;
    private final URI origin;
    private final RuleVet vet;

    /** The released set that was in force last, including before a restart. */
    private Optional<RuleStamp> applied;

    /** Whether a set of the center has been in force since the start. */
    private boolean has;

    CenterIntake(PublishedRules rules, URI origin, Optional<RuleStamp> last, RuleVet vet) {
        this.rules = rules;
        this.origin = origin;
        this.applied = last.filter(RuleStamp::released);
        this.vet = vet;
    }

    /** Returns the set in force as the center names it; empty if it did not send it since the start. */
    Optional<String> current() {
        return has ? applied.map(CenterIntake::id) : Optional.empty();
    }

    static String id(RuleStamp stamp) {
        return stamp.version() + ":" + stamp.digest();
    }

    /** The center has released nothing yet. */
    void takeNothing() {
        if (applied.isPresent()) {
            refuse(
                    Optional.empty(),
                    "version: none (expected: " + applied.get().version() + " or higher; release again)");
        } else {
            rules.settle();
        }
    }

    /** The center has released a set. */
    void take(ServerEvent event) {
        Matcher matcher = ID.matcher(event.id());
        if (!matcher.matches()) {
            refuse(Optional.empty(), "id: " + PrintableText.text(event.id()) + " (expected: VERSION:DIGEST)");
            return;
        }
        RuleStamp named = new RuleStamp(Long.parseLong(matcher.group(1)), matcher.group(2), true);
        Optional<String> fault = applied.flatMap(last -> fault(last, named));
        if (fault.isPresent()) {
            refuse(Optional.of(named), fault.get());
        } else if (has && applied.equals(Optional.of(named))) {
            settle();
        } else if (event.tooLong()) {
            refuse(
                    Optional.of(named),
                    "size: too large for the memory of this process (expected: fewer rules, or raise -Xmx)");
        } else {
            read(event.data(), named);
        }
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

    private void read(byte[] text, RuleStamp named) {
        Reading reading = RuleSetText.read(place(named), text, MOST_RULES);
        if (reading instanceof Reading.Unusable bad) {
            refuse(new RefusedSet(Optional.of(named), bad.errors()));
            return;
        }
        RuleSet read = ((Reading.Found) reading).rules();
        RuleSet set = read.releasedTo().isPresent() ? read : read.releasedTo(EVERY_NODE);
        if (!set.stamp().equals(named)) {
            refuse(Optional.of(named), "rules: version " + set.version() + " (expected: the rules that the id names)");
            return;
        }
        List<DocumentError> faults = vet.faults(set);
        if (faults.isEmpty()) {
            publish(set);
        } else {
            refuse(new RefusedSet(Optional.of(named), faults));
        }
    }

    private void publish(RuleSet set) {
        RuleSet before = rules.latest();
        boolean first = !has;
        has = true;
        applied = Optional.of(set.stamp());
        rules.publish(set);
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

    private void settle() {
        if (!rules.refused().isEmpty()) {
            rules.settle();
            LOG.info(
                    "rules valid again, version {} stays in force",
                    rules.latest().version());
        }
    }

    private void refuse(Optional<RuleStamp> stamp, String message) {
        String place = stamp.map(this::place).orElseGet(origin::toString);
        refuse(new RefusedSet(stamp, List.of(DocumentError.of(place, message))));
    }

    /** Reports each bad set once. */
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
