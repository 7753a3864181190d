package io.sluice.center.plan;

import io.sluice.center.verdict.Measure;
import io.sluice.center.verdict.VerdictSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The stored form of a plan. The flag for automatic verdicts is stored separately, because it may change. */
public final class PlanText {

    private static final JsonMapper JSON = JsonMapper.shared();

    private PlanText() {}

    public static String write(ReleasePlan plan) {
        ObjectNode root = JSON.createObjectNode();
        ObjectNode to = root.putObject("to");
        if (plan.to() instanceof Target.Nodes nodes) {
            list(to.put("kind", "nodes").putArray("steps"), nodes.steps());
        } else if (plan.to() instanceof Target.Callers callers) {
            list(to.put("kind", "callers").putArray("steps"), callers.steps());
            callers.by().ifPresent(by -> to.put("by", by));
        } else if (plan.to() instanceof Target.Named named) {
            ArrayNode values =
                    to.put("kind", "named").put("by", named.attribute()).putArray("values");
            named.values().forEach(values::add);
        } else {
            to.put("kind", plan.to() instanceof Target.Candidate ? "candidate" : "all");
        }
        VerdictSettings settings = plan.verdict().settings();
        ObjectNode verdict = root.putObject("verdict");
        ObjectNode tolerances = verdict.putObject("tolerances");
        settings.tolerances().forEach((measure, tolerance) -> tolerances.put(measure.word(), tolerance));
        verdict.put("min_requests", settings.minRequests())
                .put("every_ms", plan.verdict().every().toMillis())
                .put("watch_ms", plan.verdict().watch().toMillis());
        return JSON.writeValueAsString(root);
    }

    /** Reads the stored form. An empty text means a release to all. */
    public static ReleasePlan read(String text, boolean automatic) {
        if (text.isEmpty()) {
            return ReleasePlan.ALL;
        }
        JsonNode root = JSON.readTree(text);
        Target to = target(root.get("to"));
        return new ReleasePlan(to, verdict(to, root.get("verdict")), automatic);
    }

    private static Target target(JsonNode to) {
        return switch (to.get("kind").asString()) {
            case "nodes" -> new Target.Nodes(steps(to));
            case "callers" ->
                new Target.Callers(steps(to), Optional.ofNullable(to.get("by")).map(JsonNode::asString));
            case "named" -> {
                TreeSet<String> values = new TreeSet<>();
                to.get("values").forEach(value -> values.add(value.asString()));
                yield new Target.Named(to.get("by").asString(), values);
            }
            case "candidate" -> new Target.Candidate();
            default -> new Target.All();
        };
    }

    private static VerdictPlan verdict(Target to, JsonNode verdict) {
        Map<Measure, Double> tolerances = new EnumMap<>(Measure.class);
        verdict.get("tolerances").properties().forEach(each -> Measure.of(each.getKey())
                .ifPresent(measure -> tolerances.put(measure, each.getValue().asDouble())));
        return new VerdictPlan(
                VerdictPlan.settings(to, tolerances, verdict.get("min_requests").asLong()),
                Duration.ofMillis(verdict.get("every_ms").asLong()),
                Duration.ofMillis(verdict.path("watch_ms").asLong(0)));
    }

    private static List<Integer> steps(JsonNode to) {
        List<Integer> steps = new ArrayList<>();
        to.get("steps").forEach(step -> steps.add(step.asInt()));
        return steps;
    }

    private static void list(ArrayNode array, List<Integer> numbers) {
        numbers.forEach(array::add);
    }

    /** Adds a plan to the body of a row in the audit log. Named callers are only counted, because rows are never deleted. */
    public static void log(ReleasePlan plan, ObjectNode body) {
        Target to = plan.to();
        if (to instanceof Target.All) {
            body.put("to", "all");
        } else if (to instanceof Target.Candidate) {
            body.put("to", "candidate");
        } else if (to instanceof Target.Named named) {
            body.putObject("to")
                    .put("by", named.attribute())
                    .put("callers", named.values().size());
        } else {
            var steps = body.putObject("to").putArray(to instanceof Target.Nodes ? "nodes" : "callers");
            to.steps().forEach(step -> steps.add(step + "%"));
        }
        if (plan.automatic()) {
            body.put("automatic", true);
        }
    }
}
