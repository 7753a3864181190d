package io.sluice.cli.apply;

import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The changes that a rule document would make.
 *
 * @param before the rules in force
 * @param after the rules of the document
 * @param changes the changes; empty exactly if both rule sets have the same digest
 */
record Plan(RuleSet before, RuleSet after, List<RuleChange> changes) {

    Plan {
        changes = List.copyOf(changes);
    }

    /** Compares rules with the rules of a center. Changes nothing. */
    static Plan of(CenterClient center, List<Rule> rules) throws CenterCallException {
        RuleSet before = inForce(center);
        RuleSet after = new RuleSet(before.version(), rules);
        return new Plan(before, after, RuleChange.between(before, after));
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Returns the version in force; 0 if there is none. */
    long base() {
        return before.version();
    }

    /** Returns the digest of the resulting rules. */
    String digest() {
        return after.digest();
    }

    /** Returns the numbers of added, changed and removed rules, in words. */
    String counts() {
        long added = after.rules().stream()
                .filter(rule -> before.rule(rule.id()).isEmpty())
                .count();
        long changed = after.rules().stream()
                .filter(rule ->
                        before.rule(rule.id()).filter(old -> !old.equals(rule)).isPresent())
                .count();
        long removed = before.rules().size() + added - after.rules().size();
        return added + " added, " + changed + " changed, " + removed + " removed";
    }

    void print(PrintWriter out) {
        out.println("rules: " + counts());
        changes.forEach(change -> out.println("  " + change));
        out.println("base: " + base());
        out.println("digest: " + digest());
    }

    private static RuleSet inForce(CenterClient center) throws CenterCallException {
        JsonNode reply = center.get("/api/rules");
        long version = reply.path("version").asLong(-1);
        JsonNode rules = reply.path("rules");
        if (version == 0) {
            return RuleSet.none();
        }
        RuleDocument document =
                RuleDocument.parse("center", JsonMapper.shared().writeValueAsString(Map.of("rules", rules)));
        if (version > 0 && document instanceof RuleDocument.Accepted accepted) {
            RuleSet set = new RuleSet(version, accepted.rules());
            if (set.digest().equals(reply.path("digest").asString(""))) {
                return set;
            }
        }
        throw new CenterCallException(
                "center " + center + ": its rules have a form that this program does not know (expected: the same"
                        + " version of Sluice)",
                0,
                List.of());
    }
}
