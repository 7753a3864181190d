package io.sluice.center.edit;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** The difference between two rule sets as text, in the form of {@code diff -u}, one field of a rule per line. */
public final class TextDifference {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int CONTEXT = 3;

    /** The maximum number of rules in the text. Further rules are left out. */
    private static final int MOST_RULES = 200;

    private TextDifference() {}

    public static String between(RuleSet before, RuleSet after) {
        Set<String> ids = new LinkedHashSet<>();
        after.rules().forEach(rule -> ids.add(rule.id()));
        before.rules().forEach(rule -> ids.add(rule.id()));
        StringBuilder text = new StringBuilder();
        int shown = 0;
        for (String id : ids) {
            Optional<Rule> old = before.rule(id);
            Optional<Rule> now = after.rule(id);
            if (old.equals(now)) {
                continue;
            }
            if (shown++ == MOST_RULES) {
                return text.append("… and more rules\n").toString();
            }
            of(id, old, now).forEach(line -> text.append(line).append('\n'));
        }
        return text.toString();
    }

    /** Returns the difference of one rule. */
    static List<String> of(String id, Optional<Rule> before, Optional<Rule> after) {
        List<String> old = lines(before);
        return UnifiedDiffUtils.generateUnifiedDiff(
                before.isPresent() ? id : "/dev/null",
                after.isPresent() ? id : "/dev/null",
                old,
                DiffUtils.diff(old, lines(after)),
                CONTEXT);
    }

    private static List<String> lines(Optional<Rule> rule) {
        return rule.map(found -> JSON.writerWithDefaultPrettyPrinter()
                        .writeValueAsString(JSON.readTree(RuleJson.rule(found)))
                        .lines()
                        .toList())
                .orElseGet(ArrayList::new);
    }
}
