package io.sluice.http.field;

import io.sluice.rules.yaml.PrintableText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The body fields that rules name. Names match in any case. Immutable. */
final class WantedFields {

    private final int prefixLength;
    private final Map<String, List<String>> attributes = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final TreeSet<String> objects = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /** Creates the set of wanted fields from attributes that begin with this prefix. */
    WantedFields(String prefix, List<String> names) {
        this.prefixLength = prefix.length();
        for (String name : names) {
            String field = name.substring(prefixLength);
            attributes.computeIfAbsent(field, any -> new ArrayList<>()).add(name);
            for (int dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
                objects.add(field.substring(0, dot));
            }
        }
    }

    boolean isEmpty() {
        return attributes.isEmpty();
    }

    /** Returns whether this field, or a field inside it, is wanted. */
    boolean concerns(String field) {
        return attributes.containsKey(field) || objects.contains(field);
    }

    boolean isValue(String field) {
        return attributes.containsKey(field);
    }

    boolean isObject(String field) {
        return objects.contains(field);
    }

    /** Returns the attributes that have the value of this field. */
    List<String> attributes(String field) {
        return attributes.getOrDefault(field, List.of());
    }

    /** Returns all wanted attributes. */
    List<String> attributes() {
        return attributes.values().stream().flatMap(List::stream).toList();
    }

    void put(String field, @Nullable String value, Map<String, String> found) {
        if (value != null) {
            attributes(field).forEach(name -> found.put(name, value));
        }
    }

    /** Returns the error for a field that occurs more than once. */
    static String twice(String prefix, String field) {
        return prefix + PrintableText.text(field) + ": more than one value (expected: one)";
    }
}
