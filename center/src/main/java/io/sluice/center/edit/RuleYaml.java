package io.sluice.center.edit;

import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes rules as YAML in the style of a person: keys in the order of the documentation, each limit on a separate line, and quotation marks
 * only where they are needed. Reading the text gives an equal rule.
 */
public final class RuleYaml {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** The maximum width of a list or mapping on one line. A longer one becomes a block. */
    private static final int WIDTH = 110;

    private static final List<String> ORDER = List.of(
            "id",
            "name",
            "tenant",
            "labels",
            "for",
            "enabled",
            "action",
            "protected",
            "service",
            "resource",
            "methods",
            "match",
            "envoy",
            "limits",
            "overrides",
            "shadow",
            "candidate",
            "mode",
            "lease",
            "guard",
            "on_failure",
            "local_share",
            "deadline",
            "message");

    /** Words that YAML does not read as text without quotation marks. */
    private static final Set<String> WORDS = Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n", "~");

    private RuleYaml() {}

    /** Returns a document of one rule. */
    public static String rule(Rule rule) {
        StringBuilder out = new StringBuilder();
        ordered(rule).forEach(field -> entry(field.getKey(), field.getValue(), "", out));
        return out.toString();
    }

    /** Returns a document of rules. */
    public static String document(List<Rule> rules) {
        StringBuilder out = new StringBuilder(rules.isEmpty() ? "rules: []\n" : "rules:\n");
        for (Rule rule : rules) {
            StringBuilder own = new StringBuilder();
            ordered(rule).forEach(field -> entry(field.getKey(), field.getValue(), "    ", own));
            out.append("  - ").append(own, 4, own.length());
        }
        return out.toString();
    }

    private static List<Map.Entry<String, JsonNode>> ordered(Rule rule) {
        List<Map.Entry<String, JsonNode>> fields =
                new ArrayList<>(JSON.readTree(RuleJson.rule(rule)).properties());
        fields.sort((a, b) -> Integer.compare(place(a.getKey()), place(b.getKey())));
        return fields;
    }

    private static int place(String key) {
        int place = ORDER.indexOf(key);
        return place < 0 ? ORDER.size() : place;
    }

    private static void entry(String key, JsonNode value, String indent, StringBuilder out) {
        String head = indent + scalar(key, true) + ":";
        if (!value.isContainer()) {
            out.append(head).append(' ').append(scalar(value, false)).append('\n');
            return;
        }
        String flow = flow(value);
        boolean isShort = head.length() + 1 + flow.length() <= WIDTH;
        if (value.isEmpty() || (isShort && !hasContainers(value) && !key.equals("match") && !key.equals("message"))) {
            out.append(head).append(' ').append(flow).append('\n');
        } else {
            out.append(head).append('\n');
            block(value, indent + "  ", out);
        }
    }

    private static void block(JsonNode value, String indent, StringBuilder out) {
        if (value.isObject()) {
            value.properties().forEach(field -> entry(field.getKey(), field.getValue(), indent, out));
            return;
        }
        for (JsonNode item : value.values()) {
            String flow = item.isContainer() ? flow(item) : scalar(item, false);
            if (!item.isObject() || item.isEmpty() || indent.length() + 2 + flow.length() <= WIDTH) {
                out.append(indent).append("- ").append(flow).append('\n');
            } else {
                StringBuilder own = new StringBuilder();
                block(item, indent + "  ", own);
                out.append(indent).append("- ").append(own, indent.length() + 2, own.length());
            }
        }
    }

    private static boolean hasContainers(JsonNode value) {
        return value.values().stream().anyMatch(JsonNode::isContainer);
    }

    private static String flow(JsonNode value) {
        List<String> parts = new ArrayList<>();
        if (value.isObject()) {
            value.properties()
                    .forEach(field -> parts.add(scalar(field.getKey(), true) + ": " + flow(field.getValue())));
            return parts.isEmpty() ? "{}" : "{ " + String.join(", ", parts) + " }";
        }
        if (value.isArray()) {
            value.values().forEach(item -> parts.add(flow(item)));
            return "[" + String.join(", ", parts) + "]";
        }
        return scalar(value, true);
    }

    private static String scalar(JsonNode value, boolean inFlow) {
        return value.isString() ? scalar(value.asString(), inFlow) : value.toString();
    }

    private static String scalar(String text, boolean inFlow) {
        return isPlain(text, inFlow) ? text : quoted(text);
    }

    private static boolean isPlain(String text, boolean inFlow) {
        if (text.isEmpty() || WORDS.contains(text.toLowerCase(Locale.ROOT)) || isNumber(text)) {
            return false;
        }
        int last = text.length() - 1;
        for (int i = 0; i <= last; i++) {
            char c = text.charAt(i);
            boolean isInner = i > 0 && i < last;
            boolean isFine = (Character.isLetterOrDigit(c) && !Character.isSurrogate(c))
                    || c == '/'
                    || c == '_'
                    || (c == '.' && (i > 0 || last > 2))
                    || (i > 0 && "-@%+=$".indexOf(c) >= 0)
                    || (c == ' ' && isInner)
                    || (!inFlow && i > 0 && "*{}(),'!;".indexOf(c) >= 0)
                    || (c == ':' && isInner && !inFlow && text.charAt(i + 1) != ' ' && !isDigitsOnly(text));
            if (!isFine) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether YAML may read a text as a number. Other texts that start like a number contain a letter or a slash, such as 1m and
     * 50/s.
     */
    private static boolean isNumber(String text) {
        char first = text.charAt(0);
        boolean mayBegin = (first >= '0' && first <= '9') || first == '.' || first == '+' || first == '-';
        return mayBegin
                && (isDigitsOnly(text)
                        || text.matches("(?i)[-+.]?(0x[0-9a-f_]+|0o?[0-7_]+|[0-9._]+e[-+]?[0-9]+|\\.(inf|nan))"));
    }

    private static boolean isDigitsOnly(String text) {
        return text.chars().allMatch(c -> (c >= '0' && c <= '9') || ".:_+-eETZtz ".indexOf(c) >= 0);
    }

    /** Returns a text in quotation marks, with invisible characters as escapes. */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default -> {
                    if (isVisible(c)) {
                        out.appendCodePoint(c);
                    } else {
                        out.append(String.format(Locale.ROOT, c > 0xffff ? "\\U%08x" : "\\u%04x", c));
                    }
                }
            }
        });
        return out.append('"').toString();
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> c == ' ' || Character.getType(c) != Character.SPACE_SEPARATOR;
        };
    }
}
