package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes values as readable YAML: a rule in block style, and each value in it on one line if it fits. */
public final class YamlText {

    private static final int WIDTH = 120;
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_/][A-Za-z0-9_./ -]*(?<! )");

    /** A path that needs no quotes outside of a flow mapping. */
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9_./{}*-]*");

    private static final Pattern NUMBER =
            Pattern.compile("[-+]?([0-9]+\\.?|[0-9]*\\.[0-9]+)([eE][-+]?[0-9]+)?|0[xo].*");
    private static final Set<String> WORDS = Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n", "~");

    private YamlText() {}

    static YamlScalar text(String text) {
        return new YamlScalar(Place.START, text, true);
    }

    /** Returns a number or a flag. */
    static YamlScalar bare(Object value) {
        return new YamlScalar(Place.START, value.toString(), false);
    }

    static YamlList list(List<String> texts) {
        return new YamlList(
                Place.START, texts.stream().<YamlValue>map(YamlText::text).toList());
    }

    /** Writes a rule as an item of the list of rules. */
    public static String item(YamlMap rule) {
        StringBuilder out = new StringBuilder();
        String indent = "  - ";
        for (Entry entry : rule.entries()) {
            out.append(indent).append(scalar((YamlScalar) entry.key())).append(':');
            value(out, entry.value(), ((YamlScalar) entry.key()).text());
            indent = "    ";
        }
        return out.toString();
    }

    private static void value(StringBuilder out, YamlValue value, String key) {
        String flow =
                value instanceof YamlScalar text && PATH.matcher(text.text()).matches() ? text.text() : flow(value);
        boolean rows = key.equals("limits") || key.equals("overrides") || key.equals("candidate");
        if (value instanceof YamlList list && !list.items().isEmpty() && (rows || flow.length() > WIDTH)) {
            out.append('\n');
            list.items()
                    .forEach(each -> out.append("      - ").append(flow(each)).append('\n'));
        } else if (value instanceof YamlMap map && flow.length() > WIDTH) {
            out.append('\n');
            map.entries().forEach(each -> out.append("      ")
                    .append(flow(each.key()))
                    .append(": ")
                    .append(flow(each.value()))
                    .append('\n'));
        } else {
            out.append(' ').append(flow).append('\n');
        }
    }

    private static String flow(YamlValue value) {
        if (value instanceof YamlScalar scalar) {
            return scalar(scalar);
        }
        if (value instanceof YamlList list) {
            return list.items().stream().map(YamlText::flow).collect(Collectors.joining(", ", "[", "]"));
        }
        return ((YamlMap) value)
                .entries().stream()
                        .map(entry -> flow(entry.key()) + ": " + flow(entry.value()))
                        .collect(Collectors.joining(", ", "{ ", " }"));
    }

    private static String scalar(YamlScalar scalar) {
        return !scalar.quoted() || isPlain(scalar.text()) ? scalar.text() : quoted(scalar.text());
    }

    private static boolean isPlain(String text) {
        return PLAIN.matcher(text).matches()
                && !NUMBER.matcher(text).matches()
                && !WORDS.contains(text.toLowerCase(Locale.ROOT));
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
