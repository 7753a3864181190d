package io.sluice.center.reach;

import io.sluice.center.access.Access;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * The part of the rules that a caller may read. Results that are computed only from this part reveal nothing about the other rules.
 * Immutable.
 *
 * @param access the rights of the caller
 */
public record Visibility(Access access) {

    /** Returns the rules of a set that the caller may read, under the same version. */
    public RuleSet of(RuleSet set) {
        return access.seesAll() ? set : new RuleSet(set.version(), of(set.rules()));
    }

    public List<Rule> of(List<Rule> rules) {
        return rules.stream().filter(access::sees).toList();
    }

    /** Returns whether two sets differ only in rules that the caller may read. */
    public boolean seesDifference(RuleSet before, RuleSet after) {
        return access.seesAll() || hidden(before).equals(hidden(after));
    }

    private List<Rule> hidden(RuleSet set) {
        return set.rules().stream().filter(rule -> !access.sees(rule)).toList();
    }

    /**
     * Returns whether the caller may read each rule that edits touch, before and after the edits. The order of rules concerns all rules.
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

    /** Returns whether the caller may read a rule in each set that contains it. */
    public boolean sees(String rule, List<RuleSet> sets) {
        return access.seesAll() || sees(new Edit.Remove(rule), sets);
    }

    /** Returns each state of a rule: the state in an edit, and the state in each set. */
    static Stream<Rule> rules(Edit edit, List<RuleSet> sets) {
        return Stream.concat(
                edit instanceof Edit.Put put ? Stream.of(put.put()) : Stream.empty(),
                sets.stream().flatMap(set -> set.rule(edit.rule()).stream()));
    }
}
