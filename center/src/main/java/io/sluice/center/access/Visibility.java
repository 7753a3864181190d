package io.sluice.center.access;

import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * The part of the rules that somebody sees. Whatever is computed from it alone tells nothing about the rest. Immutable.
 *
 * @param access of somebody
 */
public record Visibility(Access access) {

    /** Returns the rules of a set that somebody sees, under the same version. */
    public RuleSet of(RuleSet set) {
        return access.seesAll() ? set : new RuleSet(set.version(), of(set.rules()));
    }

    public List<Rule> of(List<Rule> rules) {
        return rules.stream().filter(access::sees).toList();
    }

    /** Returns whether two sets differ in nothing but rules that somebody sees. */
    public boolean seesDifference(RuleSet before, RuleSet after) {
        return access.seesAll() || hidden(before).equals(hidden(after));
    }

    private List<Rule> hidden(RuleSet set) {
        return set.rules().stream().filter(rule -> !access.sees(rule)).toList();
    }

    /**
     * Returns whether somebody sees each rule that edits touch, before and after. The order of rules is that of all rules.
     *
     * @param sets the rules that the edits are compared with
     */
    public boolean sees(Edits edits, List<RuleSet> sets) {
        return access.seesAll()
                || (edits.order().isEmpty() && edits.list().stream().allMatch(edit -> sees(edit, sets)));
    }

    private boolean sees(Edit edit, List<RuleSet> sets) {
        List<Rule> rules = rules(edit, sets).toList();
        return !rules.isEmpty() && rules.stream().allMatch(access::sees);
    }

    /** Returns whether somebody sees a rule, wherever it exists. */
    public boolean sees(String rule, List<RuleSet> sets) {
        return access.seesAll() || sees(new Edit.Remove(rule), sets);
    }

    /** Returns each state of a rule: that of an edit, and that in each set. */
    static Stream<Rule> rules(Edit edit, List<RuleSet> sets) {
        return Stream.concat(
                edit instanceof Edit.Put put ? Stream.of(put.put()) : Stream.empty(),
                sets.stream().flatMap(set -> set.rule(edit.rule()).stream()));
    }
}
