package io.sluice.center.govern.reply;

import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Rules with their version. */
public record RulesReply(long version, String digest, List<JsonNode> rules) {

    /**
     * Describes a set of rules.
     *
     * @param seen the part of the set that the caller sees
     */
    public static RulesReply of(RuleSet set, RuleSet seen) {
        return new RulesReply(
                set.version(),
                set.digest(),
                seen.rules().stream().map(RulesReply::json).toList());
    }

    /** Returns a rule as JSON. */
    public static JsonNode json(Rule rule) {
        return JsonMapper.shared().readTree(RuleJson.rule(rule));
    }
}
