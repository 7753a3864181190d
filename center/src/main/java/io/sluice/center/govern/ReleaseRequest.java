package io.sluice.center.govern;

import io.sluice.center.http.RequestBody;
import io.sluice.center.plan.ReleasePlan;
import io.sluice.center.plan.Target;
import io.sluice.center.plan.VerdictPlan;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.verdict.Measure;
import io.sluice.center.verdict.VerdictSettings;
import io.sluice.rules.yaml.Spans;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The fields {@code to} and {@code verdict} of a release. */
final class ReleaseRequest {

    private static final String EXPECTED_TO = " (expected: \"all\", \"candidate\", {\"nodes\": \"10%\"},"
            + " {\"callers\": \"5%\"}, {\"callers\": [\"1%\", \"10%\"], \"by\": \"user\"}, {\"tenants\": [\"acme\"]} or"
            + " {\"named\": {\"user\": [\"u-1\"]}})";

    private static final Set<String> VERDICT_FIELDS =
            Set.of("compare", "tolerance", "min_requests", "every", "watch", "automatic");
    private static final Pattern SHARE = Pattern.compile("([1-9][0-9]?)%");
    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,4}(?:\\.[0-9]{1,4})?)%");
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private ReleaseRequest() {}

    static ReleasePlan plan(JsonNode body) {
        Target to = target(body.get("to"));
        JsonNode verdict = body.get("verdict");
        if (verdict == null || verdict.isNull()) {
            return ReleasePlan.of(to);
        }
        if (!to.isSplit()) {
            throw RefusedException.invalid(
                    "verdict: nothing to compare, because every caller gets the same rules (expected: only with a trial"
                            + " of nodes or callers)");
        }
        RequestBody.requireFields("verdict", verdict, VERDICT_FIELDS);
        return new ReleasePlan(to, verdict(to, verdict), RequestBody.flag(verdict, "automatic", false));
    }

    private static Target target(@Nullable JsonNode to) {
        if (to == null || to.isNull()) {
            return new Target.All();
        }
        if (to.isString()) {
            return switch (to.asString()) {
                case "all" -> new Target.All();
                case "candidate" -> new Target.Candidate();
                default -> throw invalid(to);
            };
        }
        Set<String> fields = new LinkedHashSet<>(to.propertyNames());
        fields.remove("by");
        if (!to.isObject() || fields.size() != 1 || (to.has("by") && !fields.contains("callers"))) {
            throw invalid(to);
        }
        String kind = fields.iterator().next();
        JsonNode value = to.get(kind);
        return switch (kind) {
            case "nodes" -> new Target.Nodes(steps(kind, value));
            case "callers" ->
                new Target.Callers(
                        steps(kind, value),
                        Optional.of(RequestBody.string(to, "by", "")).filter(by -> !by.isEmpty()));
            case "tenants" -> named("tenant", value);
            case "named" -> {
                if (!value.isObject() || value.size() != 1) {
                    throw invalid(to);
                }
                String attribute = value.propertyNames().iterator().next();
                yield named(attribute, value.get(attribute));
            }
            default -> throw invalid(to);
        };
    }

    private static RefusedException invalid(JsonNode to) {
        return RefusedException.invalid("to: " + (to.isString() ? to.asString() : "unknown") + EXPECTED_TO);
    }

    private static Target.Named named(String attribute, JsonNode values) {
        Set<String> names = new LinkedHashSet<>();
        values.forEach(value -> names.add(value.isString() ? value.asString() : ""));
        if (!values.isArray() || names.isEmpty() || names.contains("") || attribute.isEmpty()) {
            throw RefusedException.invalid("to: no names of callers (expected: a list of texts that are not empty)");
        }
        return new Target.Named(attribute, names);
    }

    private static List<Integer> steps(String name, JsonNode value) {
        List<Integer> steps = new ArrayList<>();
        (value.isArray() ? value : List.of(value)).forEach(each -> {
            Matcher share = SHARE.matcher(each.isString() ? each.asString() : "");
            if (!share.matches()) {
                throw RefusedException.invalid(name + ": " + each + " (expected: a share from \"1%\" to \"99%\")");
            }
            steps.add(Integer.parseInt(share.group(1)));
        });
        try {
            return (name.equals("nodes") ? new Target.Nodes(steps) : new Target.Callers(steps, Optional.empty()))
                    .steps();
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static VerdictPlan verdict(Target to, JsonNode verdict) {
        Set<Measure> measures = measures(to, verdict);
        VerdictSettings usual = VerdictPlan.usual(to, measures);
        Map<Measure, Double> tolerances = new EnumMap<>(usual.tolerances());
        JsonNode asked = verdict.get("tolerance");
        if (asked != null) {
            RequestBody.requireFields(
                    "tolerance",
                    asked,
                    new LinkedHashSet<>(measures.stream().map(Measure::word).toList()));
            asked.properties().forEach(each -> tolerances.put(measure(each.getKey()), percent(each.getValue())));
        }
        try {
            return new VerdictPlan(
                    VerdictPlan.settings(
                            to, tolerances, RequestBody.number(verdict, "min_requests", usual.minRequests())),
                    every(verdict),
                    watch(to, measures, verdict));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid("verdict: " + e.getMessage());
        }
    }

    private static Set<Measure> measures(Target to, JsonNode verdict) {
        JsonNode compare = verdict.get("compare");
        if (compare == null || compare.isNull()) {
            return VerdictPlan.usualMeasures(to);
        }
        Set<Measure> measures = EnumSet.noneOf(Measure.class);
        compare.forEach(each -> measures.add(measure(each.isString() ? each.asString() : each.toString())));
        if (!compare.isArray() || measures.isEmpty()) {
            throw RefusedException.invalid("compare: " + compare + " (expected: a list such as [\"refusals\"])");
        }
        return measures;
    }

    private static Measure measure(String word) {
        return Measure.of(word)
                .orElseThrow(() -> RefusedException.invalid(
                        "compare: " + word + " (expected: refusals, errors, latency or degraded)"));
    }

    private static double percent(JsonNode value) {
        Matcher percent = PERCENT.matcher(value.isString() ? value.asString() : "");
        if (!percent.matches()) {
            throw RefusedException.invalid("tolerance: " + value + " (expected: a text such as \"1%\" or \"0.5%\")");
        }
        return new BigDecimal(percent.group(1)).divide(HUNDRED).doubleValue();
    }

    private static Duration watch(Target to, Set<Measure> measures, JsonNode verdict) {
        String text = RequestBody.string(verdict, "watch", "");
        if (text.isEmpty()) {
            return VerdictPlan.usualWatch(to, measures, every(verdict), RequestBody.flag(verdict, "automatic", false));
        }
        if (!(to instanceof Target.Callers)) {
            throw RefusedException.invalid("watch: only a share of callers can be watched (expected: no watch)");
        }
        return text.equals("0")
                ? Duration.ZERO
                : Spans.of("watch", text, Duration.ofSeconds(1), VerdictPlan.LONGEST_WATCH);
    }

    private static Duration every(JsonNode verdict) {
        String text = RequestBody.string(verdict, "every", "");
        return text.isEmpty()
                ? VerdictPlan.USUAL_INTERVAL
                : Spans.of("every", text, VerdictPlan.SHORTEST_INTERVAL, VerdictPlan.LONGEST_INTERVAL);
    }
}
