package io.sluice.rules.internal;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes JSON on one line. Values are text, numbers, flags, null, lists and maps; those in the order in which they come. */
public final class JsonLine {

    private final StringBuilder out = new StringBuilder();

    private JsonLine() {}

    public static String of(@Nullable Object value) {
        JsonLine text = new JsonLine();
        text.value(value);
        return text.out.toString();
    }

    private void value(@Nullable Object value) {
        if (value instanceof String text) {
            text(text);
        } else if (value instanceof List<?> list) {
            list(list);
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else {
            out.append(value);
        }
    }

    private void list(List<?> list) {
        String separator = "[";
        for (@Nullable Object item : list) {
            out.append(separator);
            value(item);
            separator = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
    }

    private void map(Map<?, ?> map) {
        char separator = '{';
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            text(String.valueOf(entry.getKey()));
            out.append(':');
            value(entry.getValue());
            separator = ',';
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    /** What UTF-8 has no form for is escaped too, so that nothing is lost on the way through bytes. */
    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                out.append(c).append(text.charAt(++i));
            } else if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || (c >= 0x7f && c < 0xa0) || Character.isSurrogate(c) || c == 0x2028 || c == 0x2029) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
