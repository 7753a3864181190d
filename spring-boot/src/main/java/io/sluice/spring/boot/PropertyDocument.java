package io.sluice.spring.boot;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Writes the rules from properties as a rule document, one value per line. The line of an error then gives the name of the
 * property that caused it. Not thread-safe.
 */
final class PropertyDocument {

    /** Fields whose values are always text, even if they look like numbers. */
    private static final Set<String> WORDS =
            Set.of("id", "name", "tenant", "service", "resource", "message", "by", "of", "methods", "field", "type");

    /** Fields that hold attributes. Attribute names contain dots, which Spring reads as nested properties. */
    private static final Set<String> ATTRIBUTES = Set.of("match", "when", "labels");

    /** Values that are written unquoted. Property files contain only text, so numbers and booleans are recognized here. */
    private static final Pattern PLAIN = Pattern.compile("-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,9})?|true|false");

    private final StringBuilder text = new StringBuilder("{\"rules\": [\n");
    private final List<String> places = new ArrayList<>(List.of("", "sluice.rules"));
    private final List<String> attributes = new ArrayList<>();
    private int rules;

    /** Adds the rule that the properties under this name describe. */
    void add(String name, Map<String, ?> rule) {
        text.append(rules++ == 0 ? "" : ",");
        write(name, "", rule, false);
    }

    /** Declares attributes that the application sends. */
    void declare(List<String> names) {
        attributes.addAll(names);
    }

    RuleDocument read() {
        String declared = "], \"attributes\": [\n"
                + String.join(
                        ",\n", attributes.stream().map(PropertyDocument::quoted).toList());
        places.add("sluice.attributes");
        attributes.forEach(name -> places.add("sluice.attributes"));
        RuleDocument document = RuleDocument.parse("sluice.rules", text + declared + "]}");
        if (document instanceof RuleDocument.Refused refused) {
            return new RuleDocument.Refused(named(refused.errors()));
        }
        return new RuleDocument.Accepted(((RuleDocument.Accepted) document).rules(), named(document.warnings()));
    }

    private List<DocumentError> named(List<DocumentError> located) {
        return located.stream()
                .map(error -> DocumentError.of(place(error.line()), error.message()))
                .toList();
    }

    private String place(int line) {
        return line > 0 && line < places.size() ? places.get(line) : "sluice.rules";
    }

    private void write(String name, String field, Object value, boolean words) {
        if (value instanceof Map<?, ?> map) {
            List<Object> items = items(map);
            if (items.isEmpty()) {
                fields(
                        name,
                        ATTRIBUTES.contains(field) ? flat("", map) : texts(map),
                        words || ATTRIBUTES.contains(field));
            } else {
                list(name, field, items, words);
            }
        } else if (value instanceof List<?> items) {
            list(name, field, items, words);
        } else {
            String plain = String.valueOf(value);
            line(!words && PLAIN.matcher(plain).matches() ? plain : quoted(plain), name);
        }
    }

    private void fields(String name, Map<String, Object> fields, boolean words) {
        line("{", name);
        boolean first = true;
        for (Map.Entry<String, Object> each : fields.entrySet()) {
            text.append(first ? "" : ",").append(quoted(each.getKey())).append(": ");
            first = false;
            write(name + "." + each.getKey(), each.getKey(), each.getValue(), words || WORDS.contains(each.getKey()));
        }
        line("}", name);
    }

    private void list(String name, String field, List<?> items, boolean words) {
        line("[", name);
        for (int i = 0; i < items.size(); i++) {
            text.append(i == 0 ? "" : ",");
            Object item = items.get(i);
            write(name + "[" + i + "]", field, item == null ? "" : item, words);
        }
        line("]", name);
    }

    private void line(String part, String name) {
        text.append(part).append('\n');
        places.add(name);
    }

    /**
     * Returns the items of a list, which properties show as a map with the keys 0, 1, 2 and so on; empty if the map is not a
     * list.
     */
    private static List<Object> items(Map<?, ?> map) {
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < map.size(); i++) {
            Object item = map.get(Integer.toString(i));
            if (item == null) {
                return List.of();
            }
            items.add(item);
        }
        return items;
    }

    private static Map<String, Object> texts(Map<?, ?> map) {
        Map<String, Object> texts = new LinkedHashMap<>();
        map.forEach((key, value) -> texts.put(String.valueOf(key), value == null ? "" : value));
        return texts;
    }

    private static Map<String, Object> flat(String prefix, Map<?, ?> map) {
        Map<String, Object> all = new LinkedHashMap<>();
        texts(map).forEach((key, value) -> {
            if (value instanceof Map<?, ?> inner && items(inner).isEmpty()) {
                all.putAll(flat(prefix + key + ".", inner));
            } else {
                all.put(prefix + key, value);
            }
        });
        return all;
    }

    private static String quoted(String plain) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < 0x20 || c >= 0x7f) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
