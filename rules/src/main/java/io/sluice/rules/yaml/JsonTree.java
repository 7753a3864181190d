package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses one JSON document into a tree, within {@link Bounds}. YAML parsers accept most but not all JSON (no tabs, for
 * example). Large rule sets are JSON, and this parser takes a fraction of the time.
 *
 * <p>No JSON library is used, because this module would bring it into every application.
 */
final class JsonTree {

    private final String text;
    private final Bounds bounds = Bounds.ofJson();
    private int at;
    private int line = 1;

    /**
     * The start of the current line, shifted by one for each character that takes two {@code char}s, so that columns count
     * characters.
     */
    private int lineStart;

    private JsonTree(String text) {
        this.text = text;
    }

    /** Returns whether a document can be JSON, judging by its first character. */
    static boolean mayRead(String text) {
        int first = 0;
        while (first < text.length() && isSpace(text.charAt(first))) {
            first++;
        }
        return first < text.length() && (text.charAt(first) == '{' || text.charAt(first) == '[');
    }

    static YamlValue read(String text) {
        JsonTree tree = new JsonTree(text);
        tree.space();
        YamlValue root = tree.value();
        tree.space();
        if (tree.at < text.length()) {
            throw tree.unexpected("nothing after the end of the document");
        }
        return root;
    }

    private YamlValue value() {
        Place place = place();
        bounds.value(place);
        return switch (peek()) {
            case '{' -> map(place);
            case '[' -> list(place);
            case '"' -> new YamlScalar(place, string(), true);
            default -> new YamlScalar(place, word(), false);
        };
    }

    private YamlMap map(Place place) {
        bounds.enter(place);
        List<Entry> entries = new ArrayList<>();
        at++;
        space();
        boolean more = peek() != '}';
        while (more) {
            Place key = place();
            if (peek() != '"') {
                throw unexpected("a key in quotes");
            }
            bounds.value(key);
            bounds.key(entries.size(), place);
            String name = string();
            space();
            take(':', "':'");
            space();
            entries.add(new Entry(new YamlScalar(key, name, true), value()));
            more = another('}');
        }
        at++;
        bounds.leave();
        return new YamlMap(place, entries);
    }

    private YamlList list(Place place) {
        bounds.enter(place);
        List<YamlValue> items = new ArrayList<>();
        at++;
        space();
        boolean more = peek() != ']';
        while (more) {
            items.add(value());
            more = another(']');
        }
        at++;
        bounds.leave();
        return new YamlList(place, items);
    }

    /** Returns true if a comma and another item follow, and false at the end. */
    private boolean another(char end) {
        space();
        if (peek() == end) {
            return false;
        }
        take(',', "',' or '" + end + "'");
        space();
        return true;
    }

    private String string() {
        int start = ++at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
            character();
        }
        if (peek() == '"') {
            return text.substring(start, at++);
        }
        StringBuilder unescaped = new StringBuilder(text.substring(start, at));
        while (peek() != '"') {
            if (text.charAt(at) == '\\') {
                at++;
                unescaped.append(escaped());
            } else {
                unescaped.append(text.charAt(at));
                character();
            }
        }
        at++;
        return unescaped.toString();
    }

    private void character() {
        char c = text.charAt(at);
        if (c < ' ' || c == 0x7f) {
            throw unexpected("printable text; write other characters as \\uXXXX");
        }
        lineStart += Character.isLowSurrogate(c) ? 1 : 0;
        at++;
    }

    private char escaped() {
        char c = peek();
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) {
            at++;
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        int code = 0;
        for (int i = 1; i <= 4; i++) {
            int digit = c == 'u' && at + i < text.length() ? Character.digit(text.charAt(at + i), 16) : -1;
            if (digit < 0) {
                throw unexpected("an escape such as \\n or \\u00e9");
            }
            code = code * 16 + digit;
        }
        at += 5;
        return (char) code;
    }

    /** Reads a number, true, false or null. */
    private String word() {
        int start = at;
        while (at < text.length() && "+-.0123456789Eaeflnrstu".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String word = text.substring(start, at);
        if (!word.equals("true") && !word.equals("false") && !word.equals("null") && !isNumber(word)) {
            at = start;
            throw unexpected("text in quotes, a number, true, false, null, a list or an object");
        }
        return word;
    }

    private static boolean isNumber(String word) {
        int i = word.startsWith("-") ? 1 : 0;
        int digits = digits(word, i);
        boolean legal = digits > 0 && (digits == 1 || word.charAt(i) != '0');
        i += digits;
        if (i < word.length() && word.charAt(i) == '.') {
            int fraction = digits(word, i + 1);
            legal &= fraction > 0;
            i += 1 + fraction;
        }
        if (i < word.length() && (word.charAt(i) == 'e' || word.charAt(i) == 'E')) {
            i++;
            i += i < word.length() && (word.charAt(i) == '+' || word.charAt(i) == '-') ? 1 : 0;
            int exponent = digits(word, i);
            legal &= exponent > 0;
            i += exponent;
        }
        return legal && i == word.length();
    }

    private static int digits(String word, int from) {
        int i = from;
        while (i < word.length() && word.charAt(i) >= '0' && word.charAt(i) <= '9') {
            i++;
        }
        return i - from;
    }

    private void space() {
        while (at < text.length() && isSpace(text.charAt(at))) {
            if (text.charAt(at++) == '\n') {
                line++;
                lineStart = at;
            }
        }
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }

    private void take(char c, String expected) {
        if (peek() != c) {
            throw unexpected(expected);
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw new UnreadableDocument(place(), "document: ends too early (expected: the rest of it)");
        }
        return text.charAt(at);
    }

    private Place place() {
        return new Place(line, at - lineStart + 1);
    }

    private UnreadableDocument unexpected(String expected) {
        String found = PrintableText.text(text.substring(at, Math.min(text.length(), at + 20)));
        return new UnreadableDocument(place(), "document: " + found + " (expected: " + expected + ")");
    }
}
