package io.sluice.rules.changes;

import io.sluice.rules.model.Condition;
import io.sluice.rules.yaml.PrintableText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Parts of sentences. Text from documents is shortened, and its control characters are escaped. */
public final class Phrases {

    private static final int FEW = 4;
    private static final String ANY = "any";

    private Phrases() {}

    static String fromTo(Object before, Object after) {
        return PrintableText.text(String.valueOf(before)) + " → " + PrintableText.text(String.valueOf(after));
    }

    /**
     * Describes a change of the values that a request must have; no values means any. If there are many values, only the
     * differences are listed.
     */
    static String values(Collection<String> before, Collection<String> after) {
        if (before.size() <= FEW && after.size() <= FEW) {
            return list(before) + " → " + list(after);
        }
        List<String> parts = new ArrayList<>();
        part(without(after, before), "added", parts);
        part(without(before, after), "removed", parts);
        return String.join(", ", parts);
    }

    /** Describes all conditions, in the order of their attributes. */
    public static String when(Map<String, Condition> conditions) {
        List<String> parts = new ArrayList<>();
        new TreeMap<>(conditions)
                .forEach((attribute, condition) ->
                        parts.add(PrintableText.text(attribute) + " " + list(texts(condition))));
        return String.join(" and ", parts);
    }

    static List<String> texts(@Nullable Condition condition) {
        return condition == null
                ? List.of()
                : condition.texts().stream().sorted().toList();
    }

    private static String list(Collection<String> values) {
        if (values.isEmpty()) {
            return ANY;
        }
        List<String> few = values.stream().limit(FEW).map(PrintableText::text).toList();
        String more = values.size() > FEW ? " and " + (values.size() - FEW) + " more" : "";
        return String.join(", ", few) + more;
    }

    private static void part(Set<String> values, String what, List<String> parts) {
        if (!values.isEmpty()) {
            parts.add(values.size() + " " + what + " (" + list(values) + ")");
        }
    }

    private static Set<String> without(Collection<String> all, Collection<String> some) {
        Set<String> rest = new LinkedHashSet<>(all);
        new LinkedHashSet<>(some).forEach(rest::remove);
        return rest;
    }
}
