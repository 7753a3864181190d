package io.sluice.rules.cost;

import io.sluice.rules.cost.Cost.Settling;
import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a cost under the keys of a rule document. */
public final class CostText {

    private CostText() {}

    /** Returns the values by key, in the order of documents, without defaults. */
    public static Map<String, Object> fields(Cost cost) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (cost instanceof Cost.Reserved reserved) {
            if (reserved.reserve() instanceof Reserve.Attribute attribute) {
                fields.put("reserve", attribute.name());
                attribute.usual().ifPresent(permits -> fields.put("default", permits));
            } else if (reserved.reserve() instanceof Reserve.Fixed fixed) {
                fields.put("reserve", fixed.permits());
            }
            reserved.settling().ifPresent(settling -> {
                fields.put("settle", settling.by().toString());
                if (!settling.within().equals(Settling.DEFAULT_WITHIN)) {
                    fields.put("within", Spans.text(settling.within()));
                }
            });
        } else {
            fields.put("charge", "always");
        }
        return fields;
    }

    /** Returns every value for people, by key. The name of an attribute that looks like a number is in quotes. */
    public static Map<String, String> words(Cost cost) {
        Map<String, String> words = new LinkedHashMap<>();
        fields(cost).forEach((key, value) -> words.put(key, word(value)));
        cost.settling().ifPresent(settling -> words.put("within", Spans.text(settling.within())));
        return words;
    }

    /** Returns the cost on one line: {@code reserve json.max_tokens, default 2000}. */
    public static String line(Cost cost) {
        List<String> parts = new ArrayList<>();
        words(cost).forEach((key, word) -> parts.add(key + " " + PrintableText.text(word)));
        return String.join(", ", parts);
    }

    private static String word(Object value) {
        return value instanceof String text && Digits.whole(text).isPresent() ? '"' + text + '"' : value.toString();
    }
}
