package io.sluice.runtime.erasure;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Orders and results as JSON. Reading throws {@link IllegalArgumentException} if the text is anything else. */
public final class ErasureText {

    private ErasureText() {}

    /** Writes orders as a field of the current object. */
    public static void writeOrders(JsonLine line, String name, List<ErasureOrder> orders) {
        line.list(name, orders, order -> line.field("id", order.id())
                .field("attribute", order.subject().attribute())
                .field("value", order.subject().value())
                .field("known", (Object) order.subject().known()));
    }

    public static List<ErasureOrder> orders(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .limit(ErasureOrder.MOST)
                .map(order -> new ErasureOrder(
                        order.whole("id", 1, Long.MAX_VALUE),
                        new Subject(order.text("attribute"), order.text("value"), texts(order))))
                .toList();
    }

    private static Map<String, String> texts(JsonObject order) {
        Map<String, String> known = new HashMap<>();
        order.object("known").ifPresent(all -> all.names().forEach(name -> known.put(name, all.text(name))));
        return known;
    }

    /** Writes results as a field of the current object. */
    public static void writeResults(JsonLine line, String name, List<ErasureResult> results) {
        line.list(name, results, result -> line.field("id", result.id())
                .field("removed", (Object) result.removed())
                .field("left", result.left())
                .field("hashes", result.hashes()));
    }

    public static List<ErasureResult> results(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .limit(ErasureOrder.MOST)
                .map(result -> new ErasureResult(
                        result.whole("id", 1, Long.MAX_VALUE),
                        numbers(result),
                        result.texts("left"),
                        result.texts("hashes")))
                .toList();
    }

    private static Map<String, Long> numbers(JsonObject result) {
        Map<String, Long> removed = new HashMap<>();
        result.object("removed")
                .ifPresent(all -> all.names().forEach(name -> removed.put(name, all.whole(name, 0, Long.MAX_VALUE))));
        return removed;
    }
}
