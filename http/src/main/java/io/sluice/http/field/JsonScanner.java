package io.sluice.http.field;

import io.sluice.rules.pattern.NormalPath;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Scans one JSON object, strictly by RFC 8259, and keeps its wanted fields. Text after the object is ignored, as on many
 * servers. Used once, by one thread.
 *
 * <p>JSON libraries have their own bounds on depth and on the length of numbers. Beyond these bounds they could not determine
 * the value that the upstream server takes.
 */
final class JsonScanner {

    enum Outcome {
        FOUND,
        /** It is not an object, and may not be JSON. */
        NONE,
        /** It is valid JSON, but not an object. */
        OTHER,
        /** It starts like an object, but is malformed. Some servers read it anyway. */
        BROKEN,
        AMBIGUOUS
    }

    private final String text;
    private final WantedFields wanted;
    private final Map<String, String> found = new HashMap<>();
    private final Set<String> unread = new TreeSet<>();
    private final Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private @Nullable String twice;
    private int at;

    JsonScanner(String text, WantedFields wanted) {
        this.text = text;
        this.wanted = wanted;
    }

    Outcome scan() {
        skipBlanks();
        if (peek() != '{') {
            return isOtherValue() ? Outcome.OTHER : Outcome.NONE;
        }
        boolean whole = object(null);
        return twice != null ? Outcome.AMBIGUOUS : whole ? Outcome.FOUND : Outcome.BROKEN;
    }

    /** Returns whether the text is empty or one value. */
    private boolean isOtherValue() {
        if (at == text.length()) {
            return true;
        }
        boolean valid = skip();
        skipBlanks();
        return valid && at == text.length();
    }

    Map<String, String> found() {
        return found;
    }

    /** Returns the wanted attributes whose values are numbers that servers could read differently. */
    Set<String> unread() {
        return unread;
    }

    String ambiguous() {
        return WantedFields.twice(JsonFields.PREFIX, twice == null ? "" : twice);
    }

    /** Scans an object whose fields may be wanted. Returns false if it is malformed, or if such a field occurs twice. */
    private boolean object(@Nullable String path) {
        at++;
        skipBlanks();
        if (peek() == '}') {
            at++;
            return true;
        }
        while (true) {
            String name = string();
            if (name == null || !colon()) {
                return false;
            }
            String field = path == null ? name : path + "." + name;
            if (wanted.concerns(field) ? !field(field) : !skip()) {
                return false;
            }
            skipBlanks();
            char c = peek();
            at++;
            if (c != ',') {
                return c == '}';
            }
            skipBlanks();
        }
    }

    private boolean field(String field) {
        if (!seen.add(field)) {
            twice = field;
            return false;
        }
        char first = peek();
        if (first == '{' && wanted.isObject(field)) {
            return object(field);
        }
        if (first == '"') {
            String value = string();
            wanted.put(field, value, found);
            return value != null;
        }
        int start = at;
        if (!skip()) {
            return false;
        }
        if (first == 't' || first == 'f') {
            wanted.put(field, text.substring(start, at), found);
        } else if (first == '-' || isDigit(first)) {
            number(field, JsonNumber.text(text.substring(start, at)));
        }
        return true;
    }

    private void number(String field, @Nullable String value) {
        wanted.put(field, value, found);
        if (value == null) {
            unread.addAll(wanted.attributes(field));
        }
    }

    /** Skips any value of any depth. Each enclosing level takes one bit. */
    private boolean skip() {
        BitSet objects = new BitSet();
        int depth = 0;
        while (true) {
            char open = peek();
            if (open == '{' || open == '[') {
                at++;
                skipBlanks();
                if (peek() != (open == '{' ? '}' : ']')) {
                    objects.set(depth++, open == '{');
                    if (open == '{' && !name()) {
                        return false;
                    }
                    continue;
                }
                at++;
            } else if (!scalar()) {
                return false;
            }
            depth = closed(objects, depth);
            if (depth <= 0) {
                return depth == 0;
            }
        }
    }

    /**
     * Moves from the end of a value to the next value. Returns the depth of the next value, 0 if there is none, or -1 if the
     * text is malformed.
     */
    private int closed(BitSet objects, int from) {
        int depth = from;
        while (depth > 0) {
            boolean inObject = objects.get(depth - 1);
            skipBlanks();
            char c = peek();
            at++;
            if (c == ',') {
                skipBlanks();
                return inObject && !name() ? -1 : depth;
            }
            if (c != (inObject ? '}' : ']')) {
                return -1;
            }
            depth--;
        }
        return 0;
    }

    private boolean name() {
        return string(null) && colon();
    }

    private boolean colon() {
        skipBlanks();
        boolean there = peek() == ':';
        at++;
        skipBlanks();
        return there;
    }

    private boolean scalar() {
        return switch (peek()) {
            case '"' -> string(null);
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        };
    }

    private boolean word(String word) {
        boolean there = text.startsWith(word, at);
        at += word.length();
        return there;
    }

    private boolean number() {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else if (!digits()) {
            return false;
        }
        if (peek() == '.') {
            at++;
            if (!digits()) {
                return false;
            }
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            return digits();
        }
        return true;
    }

    private boolean digits() {
        int start = at;
        while (isDigit(peek())) {
            at++;
        }
        return at > start;
    }

    private @Nullable String string() {
        StringBuilder value = new StringBuilder();
        return string(value) ? value.toString() : null;
    }

    private boolean string(@Nullable StringBuilder value) {
        if (peek() != '"') {
            return false;
        }
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return true;
            }
            int character = c == '\\' ? escape() : c < ' ' ? -1 : c;
            if (character < 0) {
                return false;
            }
            if (value != null) {
                value.append((char) character);
            }
        }
        return false;
    }

    /** Returns the character after a backslash, or -1 if it is invalid. */
    private int escape() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unit();
            default -> -1;
        };
    }

    private int unit() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = NormalPath.hex(peek());
            if (digit < 0) {
                return -1;
            }
            value = (value << 4) | digit;
            at++;
        }
        return value;
    }

    private void skipBlanks() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            at++;
        }
    }

    /** Returns the next character, or at the end a character that is invalid everywhere. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
