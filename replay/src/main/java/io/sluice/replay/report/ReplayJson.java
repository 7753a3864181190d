package io.sluice.replay.report;

import io.sluice.replay.run.CallerResult;
import io.sluice.replay.run.Differences;
import io.sluice.replay.run.LimitResult;
import io.sluice.replay.run.Moment;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.replay.run.SetResult;
import io.sluice.rules.json.JsonLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a result as one JSON object. */
public final class ReplayJson {

    private ReplayJson() {}

    /** Returns the object on one line. */
    public static String of(ReplayResult result) {
        return JsonLine.of(tree(result));
    }

    /** Returns the members of the object. */
    public static Map<String, @Nullable Object> tree(ReplayResult result) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("requests", result.requests());
        all.put("unreadable", result.log().unreadable());
        all.put("late", result.log().late());
        all.put("from", result.requests() == 0 ? null : ReportTime.iso(result.fromMicros()));
        all.put("to", result.requests() == 0 ? null : ReportTime.iso(result.toMicros()));
        all.put("allowed", result.set().allowed());
        all.put("refused", result.set().refused());
        all.put("exact", result.set().rules().stream().allMatch(rule -> rule.inexact()
                .isEmpty()));
        all.put("formats", result.log().formats());
        all.put("rules", rules(result.set()));
        result.against().ifPresent(other -> all.put("against", against(other)));
        all.put("missing_attributes", List.copyOf(result.log().missing()));
        all.put("notes", result.set().notes());
        all.put("first_unreadable", result.log().firstUnreadable());
        all.put("first_late", result.log().firstLate());
        all.put("damaged", result.log().damaged());
        return all;
    }

    private static List<Object> rules(SetResult set) {
        List<Object> rules = new ArrayList<>();
        set.rules().forEach(rule -> rules.add(rule(rule)));
        return rules;
    }

    private static Map<String, @Nullable Object> rule(RuleResult result) {
        Map<String, @Nullable Object> rule = new LinkedHashMap<>();
        rule.put("rule", result.rule().id());
        rule.put("matched", result.matched());
        rule.put("allowed", result.allowed());
        rule.put("refused", result.refused());
        rule.put("callers_refused", result.callersRefused());
        rule.put("callers_at_least", result.callersAtLeast());
        rule.put("would_refuse", result.wouldRefuse());
        rule.put("never_matched", result.matched() == 0);
        result.idle().ifPresent(why -> rule.put("idle", why));
        rule.put("peak_per_second", moment(result.peak()));
        rule.put("first_refused", result.refused() == 0 ? null : ReportTime.iso(result.firstRefusedMicros()));
        rule.put("worst_minute", moment(result.worst()));
        List<Object> limits = new ArrayList<>();
        for (LimitResult limit : result.limits()) {
            Map<String, @Nullable Object> own = new LinkedHashMap<>();
            own.put("id", limit.id());
            own.put("refused", limit.refused());
            own.put("would_refuse", limit.wouldRefuse());
            limits.add(own);
        }
        rule.put("limits", limits);
        List<Object> callers = new ArrayList<>();
        for (CallerResult caller : result.top()) {
            Map<String, @Nullable Object> own = new LinkedHashMap<>();
            own.put("caller", caller.caller());
            own.put("refused", caller.refused());
            callers.add(own);
        }
        rule.put("top_callers", callers);
        result.inexact().ifPresent(inexact -> {
            Map<String, @Nullable Object> own = new LinkedHashMap<>();
            own.put("from", inexact.from());
            own.put("decisions", inexact.decisions());
            rule.put("inexact", own);
        });
        return rule;
    }

    private static @Nullable Object moment(Moment moment) {
        if (moment.count() == 0) {
            return null;
        }
        Map<String, @Nullable Object> own = new LinkedHashMap<>();
        own.put("count", moment.count());
        own.put("at", ReportTime.iso(moment.atMicros()));
        return own;
    }

    private static Map<String, @Nullable Object> against(Differences other) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("allowed", other.other().allowed());
        all.put("refused", other.other().refused());
        all.put("both_allow", other.bothAllow());
        all.put("both_refuse", other.bothRefuse());
        all.put("newly_refused", other.newlyRefused());
        all.put("newly_allowed", other.newlyAllowed());
        List<Object> differing = new ArrayList<>();
        for (Differences.RuleDifference each : other.rules()) {
            Map<String, @Nullable Object> own = new LinkedHashMap<>();
            own.put("rule", each.rule());
            own.put("newly_refused", each.newlyRefused());
            own.put("newly_allowed", each.newlyAllowed());
            differing.add(own);
        }
        all.put("differences", differing);
        all.put("rules", rules(other.other()));
        all.put("notes", other.other().notes());
        return all;
    }
}
