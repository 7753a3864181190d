package io.sluice.rules.source;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Rules that apply as long as a source has none. The first set of the source replaces them permanently. Thread-safe.
 *
 * <p>Only {@link #latest} and the listeners see the stand-in, with version 0. All other methods behave as if the source had no
 * rules yet.
 */
public final class StandInRuleSource implements RuleSource {

    private static final System.Logger LOG = System.getLogger(StandInRuleSource.class.getName());

    private final RuleSource source;
    private final RuleSet standIn;
    private final PublishedRules rules = new PublishedRules();

    private StandInRuleSource(RuleSource source, RuleSet standIn) {
        this.source = source;
        this.standIn = standIn.numbered(0);
    }

    /**
     * Returns a source with the rules of another source, or with these rules while the other source has none. Closing it closes
     * the other source.
     */
    public static StandInRuleSource over(RuleSource source, RuleSet standIn) {
        StandInRuleSource all = new StandInRuleSource(source, standIn);
        all.rules.publish(all.standIn);
        source.listen(all.new FromSource());
        return all;
    }

    /** Returns the source that the rules stand in for. */
    public RuleSource source() {
        return source;
    }

    /** Returns whether the stand-in applies now. */
    @SuppressWarnings("ReferenceEquality") // it is either this set or another set
    public boolean isInForce() {
        return rules.latest() == standIn;
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return source.first();
    }

    @Override
    public List<DocumentError> refused() {
        return source.refused();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public Adjustments adjustments() {
        return source.adjustments();
    }

    @Override
    public List<String> unfitAdjustments() {
        return source.unfitAdjustments();
    }

    @Override
    public void close() {
        source.close();
        rules.close();
    }

    /** Listens to the source. Calls arrive one at a time. */
    private final class FromSource implements RuleListener {

        @Override
        public void changed(RuleSet set) {
            // A source that never has rules publishes an empty set with version 0.
            if (set.version() == 0) {
                return;
            }
            if (isInForce()) {
                LOG.log(
                        Level.INFO,
                        () -> "rules of version " + set.version()
                                + " are in force; the default limit no longer applies");
            }
            if (PublishedRules.isSameRelease(latest(), set)) {
                rules.amend(set);
            } else {
                rules.publish(set);
            }
        }

        @Override
        public void refused(List<DocumentError> errors) {
            rules.refuse(errors);
        }
    }
}
