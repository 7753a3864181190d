package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.replay.report.ReplayJson;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.json.JsonLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes advice as one JSON object. */
public final class AdviceJson {

    private AdviceJson() {}

    /** Returns the object on one line. */
    public static String of(Advice advice) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        Map<String, @Nullable Object> goal = new LinkedHashMap<>();
        goal.put("callers", advice.goal().callers().map(Share::part).orElse(null));
        goal.put("requests", advice.goal().requests().map(Share::part).orElse(null));
        goal.put("headroom", advice.goal().headroom().part());
        goal.put("span_seconds", advice.goal().span().toSeconds());
        all.put("goal", goal);
        all.put("passes", advice.passes());
        List<Object> limits = new ArrayList<>();
        advice.limits().forEach(limit -> limits.add(limit(limit)));
        all.put("limits", limits);
        all.put("findings", advice.findings());
        all.put("document", advice.document());
        all.put("replay", ReplayJson.tree(advice.result()));
        return JsonLine.of(all);
    }

    private static Map<String, @Nullable Object> limit(LimitAdvice limit) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("rule", limit.rule().id());
        all.put("limit", limit.today().id());
        all.put("algorithm", limit.today().limit().algorithm());
        all.put("kept", limit.kept().orElse(null));
        all.put("today", numbers(limit.today().limit()));
        all.put("needed", numbers(limit.needed()));
        all.put("suggested", numbers(limit.suggested()));
        all.put("requests", limit.requests());
        all.put("callers", limit.callers());
        all.put("callers_at_least", limit.callersAtLeast());
        all.put("refused", limit.refused());
        all.put("callers_refused", limit.callersRefused());
        all.put("set_by", callers(limit.setters()));
        all.put("left_out", callers(limit.leftOut()));
        return all;
    }

    /** Rates are texts, as in rule documents. */
    private static Map<String, @Nullable Object> numbers(Limit limit) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("amount", LimitWords.amount(limit));
        LimitNumbers.rate(limit).ifPresent(rate -> all.put("rate", rate.toString()));
        all.put(LimitNumbers.name(limit), LimitNumbers.number(limit));
        return all;
    }

    private static List<Object> callers(List<CallerNeed> callers) {
        List<Object> all = new ArrayList<>();
        for (CallerNeed each : callers) {
            Map<String, @Nullable Object> own = new LinkedHashMap<>();
            own.put("caller", each.caller());
            own.put("needs", each.need());
            all.add(own);
        }
        return all;
    }
}
