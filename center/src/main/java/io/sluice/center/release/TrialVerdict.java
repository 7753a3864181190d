package io.sluice.center.release;

import io.sluice.center.verdict.Comparison;
import io.sluice.center.verdict.Measure;
import io.sluice.center.verdict.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A verdict on a step of a trial.
 *
 * @param look the number of the look at the step, starting with 1; 0 if no count was needed
 * @param step the position of the step
 * @param at the time in milliseconds since the epoch
 */
public record TrialVerdict(Verdict.Kind kind, String why, int look, int step, long at, List<Comparison> comparisons) {

    private static final JsonMapper JSON = JsonMapper.shared();

    public TrialVerdict {
        comparisons = List.copyOf(comparisons);
    }

    static TrialVerdict of(Verdict verdict, int look, int step, long at) {
        return new TrialVerdict(verdict.kind(), verdict.why(), look, step, at, verdict.comparisons());
    }

    String json() {
        ObjectNode root = JSON.createObjectNode();
        root.put("verdict", kind.word())
                .put("why", why)
                .put("look", look)
                .put("step", step)
                .put("at", at);
        var list = root.putArray("comparisons");
        for (Comparison each : comparisons) {
            ObjectNode item = list.addObject()
                    .put("measure", each.measure().word())
                    .put("verdict", each.says().word());
            item.put("why", each.why());
            number(item, "trial", each.trial());
            number(item, "control", each.control());
            number(item, "low", each.low());
            number(item, "high", each.high());
            number(item, "tolerance", each.tolerance());
        }
        return JSON.writeValueAsString(root);
    }

    static Optional<TrialVerdict> parse(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        JsonNode root = JSON.readTree(text);
        List<Comparison> comparisons = new ArrayList<>();
        for (JsonNode item : root.get("comparisons")) {
            Measure.of(item.get("measure").asString())
                    .ifPresent(measure -> comparisons.add(new Comparison(
                            measure,
                            number(item, "trial", Double.NaN),
                            number(item, "control", Double.NaN),
                            number(item, "low", Double.NEGATIVE_INFINITY),
                            number(item, "high", Double.POSITIVE_INFINITY),
                            number(item, "tolerance", Double.NaN),
                            kind(item),
                            item.get("why").asString())));
        }
        return Optional.of(new TrialVerdict(
                kind(root),
                root.get("why").asString(),
                root.get("look").asInt(),
                root.get("step").asInt(),
                root.get("at").asLong(),
                comparisons));
    }

    private static Verdict.Kind kind(JsonNode item) {
        return Verdict.Kind.of(item.get("verdict").asString());
    }

    /** Writes infinite numbers and NaN as null, because JSON does not have them. */
    private static void number(ObjectNode item, String name, double number) {
        if (Double.isFinite(number)) {
            item.put(name, number);
        } else {
            item.putNull(name);
        }
    }

    private static double number(JsonNode item, String name, double otherwise) {
        return item.get(name).isNull() ? otherwise : item.get(name).asDouble();
    }
}
