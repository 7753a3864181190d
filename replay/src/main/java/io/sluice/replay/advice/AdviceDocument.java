package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.replay.imports.draft.YamlText;
import io.sluice.replay.report.ReportTime;
import io.sluice.replay.run.ReplayResult;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.AttributeNames;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Writes suggested rules as YAML, with comments that explain the numbers. */
final class AdviceDocument {

    private static final int WIDTH = 130;

    private final AdviceGoal goal;
    private final ReplayResult log;
    private final Map<String, LimitCase> cases;

    /** @param log a replay of the log that was measured */
    AdviceDocument(AdviceGoal goal, ReplayResult log, Map<String, LimitCase> cases) {
        this.goal = goal;
        this.log = log;
        this.cases = cases;
    }

    String text(RuleSet set) {
        StringBuilder out = new StringBuilder();
        String span = log.requests() == 0
                ? ""
                : ", " + ReportTime.second(log.fromMicros()) + " to " + ReportTime.second(log.toMicros()) + " UTC";
        comment(
                out,
                "# ",
                "Suggested by ./sluice replay --suggest from " + ReportTime.count(log.requests()) + " requests" + span
                        + ". Each limit refuses " + goal.words() + "; headroom " + goal.headroom() + ".");
        TreeSet<String> unknown = new TreeSet<>();
        set.rules().forEach(rule -> unknown.addAll(rule.attributes()));
        unknown.removeIf(AttributeNames::isKnown);
        if (!unknown.isEmpty()) {
            List<String> quoted = new ArrayList<>();
            unknown.forEach(name -> quoted.add("\"" + name + "\""));
            out.append("attributes: [").append(String.join(", ", quoted)).append("]\n");
        }
        out.append(set.rules().isEmpty() ? "rules: []\n" : "rules:\n");
        for (Rule rule : OpenRules.with(set, numbers())) {
            rule.limits().forEach(limit -> {
                LimitCase own = cases.get(limit.id());
                if (own != null) {
                    comment(out, "  # ", own.id() + ": " + reason(own));
                }
            });
            out.append(item(rule));
        }
        return out.toString();
    }

    private Map<String, Limit> numbers() {
        Map<String, Limit> numbers = new LinkedHashMap<>();
        cases.forEach((id, limit) -> numbers.put(id, limit.suggested(goal.headroom())));
        return numbers;
    }

    private String reason(LimitCase limit) {
        String today = LimitWords.amount(limit.own.limit());
        if (limit.kept != null) {
            return today + " stays: " + limit.kept + ".";
        }
        String suggested = LimitWords.amount(limit.suggested(goal.headroom()));
        String needed = LimitWords.amount(limit.needed());
        return suggested + (suggested.equals(today) ? ", as before: " : " instead of " + today + ": ")
                + ReportTime.count(limit.requests) + " requests of " + callers(limit) + " need " + needed
                + (suggested.equals(needed) ? "." : "; the rest is headroom.");
    }

    private static String callers(LimitCase limit) {
        if (limit.own.by().isEmpty()) {
            return "all callers together";
        }
        return (limit.needs.isPartial() ? "more than " : "")
                + ReportTime.count(limit.needs.size())
                + (limit.needs.size() == 1 ? " caller" : " callers");
    }

    private static String item(Rule rule) {
        return YamlReader.read("suggestion", RuleJson.rule(rule), new Errors("suggestion"))
                .map(value -> YamlText.item((YamlMap) value))
                .orElseThrow();
    }

    private static void comment(StringBuilder out, String start, String text) {
        String rest = text;
        while (rest.length() > WIDTH) {
            int cut = rest.lastIndexOf(' ', WIDTH);
            int end = cut <= 0 ? WIDTH : cut;
            out.append(start).append(rest, 0, end).append('\n');
            rest = rest.substring(end).strip();
        }
        out.append(start).append(rest).append('\n');
    }
}
