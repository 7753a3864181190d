package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.rules.json.JsonLine;
import io.sluice.runtime.data.Figures;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/** The decisions of one second, as counts. Several events of the same second add up. */
final class CountsEvent implements StreamEvent {

    /** The maximum number of rules in an event. */
    static final int MOST_RULES = 50;

    private static final Comparator<Map.Entry<String, Figures>> BUSIEST =
            Comparator.<Map.Entry<String, Figures>>comparingLong(
                            each -> each.getValue().requests())
                    .reversed()
                    .thenComparing(Map.Entry::getKey);

    private final long second;
    private final Figures fleet;
    private final Map<String, Figures> rules;
    private final BiPredicate<Access, String> sees;

    /** The text for listeners that see everything. Most listeners do, so it is computed once. */
    private final Supplier<String> all;

    /**
     * Creates the event.
     *
     * @param fleet the sum, including rules that are not in the map
     * @param sees whether a listener may read a rule
     */
    CountsEvent(long second, Figures fleet, Map<String, Figures> rules, BiPredicate<Access, String> sees) {
        this.second = second;
        this.fleet = fleet;
        this.rules = Map.copyOf(rules);
        this.sees = sees;
        this.all = SingletonSupplier.of(() -> text(true, busiest(this.rules)));
    }

    @Override
    public StreamTopic topic() {
        return StreamTopic.COUNTS;
    }

    @Override
    public Optional<String> json(Access access, String rule) {
        boolean isFleetSeen = access.mayEverywhere(Right.SEE_FLEET);
        if (isFleetSeen && access.seesAll() && rule.isEmpty()) {
            return Optional.of(all.get());
        }
        Map<String, Figures> seen = new LinkedHashMap<>();
        rules.forEach((id, figures) -> {
            if ((rule.isEmpty() || rule.equals(id)) && (id.isEmpty() ? isFleetSeen : sees.test(access, id))) {
                seen.put(id, figures);
            }
        });
        return Optional.of(text(isFleetSeen && rule.isEmpty(), busiest(seen)));
    }

    private static List<Map.Entry<String, Figures>> busiest(Map<String, Figures> rules) {
        return rules.entrySet().stream().sorted(BUSIEST).limit(MOST_RULES).toList();
    }

    private String text(boolean withFleet, List<Map.Entry<String, Figures>> shown) {
        Map<String, Object> byRule = new LinkedHashMap<>();
        shown.forEach(each -> byRule.put(each.getKey(), figures(each.getValue())));
        JsonLine line = new JsonLine().begin().field("second", second);
        if (withFleet) {
            line.field("fleet", (Object) figures(fleet));
        }
        return line.field("rules", (Object) byRule).end().toString();
    }

    private static Map<String, Object> figures(Figures figures) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("requests", figures.requests());
        fields.put("allowed", figures.allowed());
        fields.put("refused", figures.refused());
        fields.put("shadow_refused", figures.shadowRefused());
        fields.put("degraded", figures.degraded());
        return fields;
    }
}
