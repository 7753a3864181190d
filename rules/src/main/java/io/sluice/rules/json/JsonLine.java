package io.sluice.rules.json;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON on one line. Values are text, numbers, flags, null, lists and maps; maps keep their order. For objects that are
 * written often, write field by field, from {@link #begin} to {@link #end}. Not thread-safe.
 *
 * <p>Names of fields are constants of the program: ASCII without quotation marks and backslashes, written as they are. A name from outside
 * the program has to be the key of a map, because keys are escaped.
 *
 * <p>No JSON library is used, because this module would bring it into every application.
 */
public final class JsonLine {

    private static final int USUAL_LENGTH = 512;

    private final Utf8Text out = new Utf8Text(USUAL_LENGTH);
    private char separator = '{';

    /** Starts an object. */
    public JsonLine begin() {
        separator = '{';
        return this;
    }

    /** Starts an object as a field of the current object. */
    public JsonLine begin(String name) {
        name(name);
        return begin();
    }

    public JsonLine field(String name, @Nullable Object value) {
        name(name);
        value(value);
        return this;
    }

    /** Writes a field that is null. */
    public JsonLine nothing(String name) {
        name(name);
        out.appendAscii("null");
        return this;
    }

    public JsonLine field(String name, @Nullable String value) {
        if (value == null) {
            return nothing(name);
        }
        name(name);
        text(value);
        return this;
    }

    public JsonLine field(String name, boolean value) {
        name(name);
        out.appendAscii(value ? "true" : "false");
        return this;
    }

    public JsonLine field(String name, List<?> value) {
        name(name);
        list(value);
        return this;
    }

    public JsonLine field(String name, long value) {
        name(name);
        out.append(value);
        return this;
    }

    /** Ends an object. */
    public JsonLine end() {
        if (separator == '{') {
            out.append('{');
        }
        out.append('}');
        separator = ',';
        return this;
    }

    /** Writes a field whose value is a list of objects. Each object is started before and ended after {@code write}. */
    public <T> JsonLine list(String name, Iterable<T> items, Consumer<T> write) {
        name(name);
        char before = '[';
        for (T item : items) {
            out.append(before);
            begin();
            write.accept(item);
            end();
            before = ',';
        }
        out.appendAscii(before == '[' ? "[]" : "]");
        separator = ',';
        return this;
    }

    @Override
    public String toString() {
        return out.toString();
    }

    /** Returns the text in UTF-8. */
    public byte[] toBytes() {
        return out.toBytes();
    }

    private void name(String name) {
        out.appendName(separator, name);
        separator = ',';
    }

    public static String of(@Nullable Object value) {
        JsonLine text = new JsonLine();
        text.value(value);
        return text.out.toString();
    }

    /** Writes a value. Checks for final classes first, because checking for a list or a map takes longer. */
    private void value(@Nullable Object value) {
        if (value instanceof String text) {
            text(text);
        } else if (value instanceof Long number) {
            out.append(number.longValue());
        } else if (value == null) {
            out.appendAscii("null");
        } else if (value instanceof List<?> list) {
            list(list);
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else {
            out.appendAscii(String.valueOf(value));
        }
    }

    private void list(List<?> list) {
        char separator = '[';
        for (@Nullable Object item : list) {
            out.append(separator);
            value(item);
            separator = ',';
        }
        out.appendAscii(list.isEmpty() ? "[]" : "]");
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
        out.appendAscii(map.isEmpty() ? "{}" : "}");
    }

    /** Writes a text. Characters that UTF-8 cannot represent are also escaped, so that no character is lost in the bytes. */
    private void text(String text) {
        int plain = out.appendQuoted(text);
        if (plain == text.length()) {
            return;
        }
        for (int i = plain; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                out.append(Character.toCodePoint(c, text.charAt(++i)));
            } else if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || (c >= 0x7f && c < 0xa0) || Character.isSurrogate(c) || c == 0x2028 || c == 0x2029) {
                out.appendAscii(String.format("\\u%04x", (int) c));
            } else {
                out.append((int) c);
            }
        }
        out.append('"');
    }
}
