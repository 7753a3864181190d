package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the items of a YAML list as most people write them, in a fraction of the time that the library takes. Large rule sets
 * consist of such items.
 *
 * <p>It knows block mappings and lists, mappings and lists in braces on one line, plain words on one line, texts in quotes on
 * one line without escapes, and comments. It stops before the first item that has anything else, or anything that may be wrong,
 * and reports nothing. The library then reads the {@link Rest}: the document without the items that were handled here. The last
 * item is always in the rest, so the list there is not empty. Both ways give the same tree ({@code SimpleItemsTest}).
 */
final class SimpleItems {

    private static final int LONGEST_KEY = 128;

    /** Characters with a meaning of their own at the beginning of a word. */
    private static final String INDICATORS = "-?:,[]{}#&*!|>'\"%@`";

    private static final char END = '\0';

    private final String text;
    private final ItemHandler items;
    private final Bounds bounds;
    private final SharedTexts texts = new SharedTexts();
    private int at;
    private int line = 1;
    private int lineStart;

    /** The column of the first character of the current line that has content, from 0; -1 at the end of the document. */
    private int indent;

    /** The number of collections around the items: the list, and the root mapping if there is one. */
    private int depth;

    private SimpleItems(String text, ItemHandler items, Bounds bounds) {
        this.text = text;
        this.items = items;
        this.bounds = bounds;
    }

    /**
     * The text that is left to the library.
     *
     * @param head the number of lines before the items
     * @param lines the number of lines that were cut out after the head
     * @param characters the number of characters that were cut out
     */
    record Rest(String text, int head, int lines, int characters) {

        static Rest all(String text) {
            return new Rest(text, 0, 0, 0);
        }

        /** Returns the line in the whole document. */
        int line(int lineOfRest) {
            return lineOfRest <= head ? lineOfRest : lineOfRest + lines;
        }

        /** Returns the place of a list in the whole document. A list whose first items were cut out begins at the cut. */
        Place list(Place ofRest) {
            boolean isCut = lines > 0 && ofRest.line() == head + lines + 1;
            return isCut ? new Place(head + 1, ofRest.column()) : ofRest;
        }

        /** Returns the number of characters before a place in the whole document. */
        int character(int characterOfRest, Place place) {
            return place.line() <= head ? characterOfRest : characterOfRest + characters;
        }
    }

    /** Handles items from the first on, and returns what the library has to read. */
    static Rest take(String text, ItemHandler items, Bounds bounds) {
        SimpleItems simple = new SimpleItems(text, items, bounds);
        boolean found = isPrintable(text) && simple.findItems();
        // The library reads what is before the items as well.
        bounds.back(0, 0);
        return found ? simple.takeItems() : Rest.all(text);
    }

    /** Returns whether the library would not refuse a character of the text. It refuses all of a text for one such character. */
    private static boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                continue;
            }
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                i++;
            } else if (!isText(c) && c != '\n' && c != '\r' && c != '\t') {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a character stands for itself in a text. */
    private static boolean isText(char c) {
        return (c >= ' ' && c <= '~')
                || (c >= 0xa0 && c < Character.MIN_SURROGATE)
                || (c > Character.MAX_SURROGATE && c <= 0xfffd && c != 0xfeff);
    }

    /** Moves to the first item of a root list, or of the list under the handler's key. */
    private boolean findItems() {
        boolean hasKeys = false;
        boolean isList = false;
        while (toContent()) {
            if (isEntry()) {
                depth = isList ? 2 : 1;
                return isList || !hasKeys;
            }
            if (isList || indent > 0) {
                return false;
            }
            hasKeys = true;
            int end = at + items.key().length();
            if (text.startsWith(items.key(), at) && peek(end) == ':' && isLineEnd(end + 1)) {
                isList = true;
                at = end + 1;
            } else if (!isKeyWithValue()) {
                return false;
            }
            toLineEnd();
        }
        return false;
    }

    /** Moves behind a key of the root and its value, if both are on this line. */
    private boolean isKeyWithValue() {
        int end = keyEnd();
        if (end < 0) {
            return false;
        }
        at = end + 1;
        skipSpaces();
        return inline(false) != null && isLineEnd(at);
    }

    private Rest takeItems() {
        int column = indent;
        int head = lineStart;
        int headLines = line - 1;
        while (true) {
            int start = lineStart;
            int startLine = line;
            int values = bounds.values();
            bounds.back(values, depth);
            YamlValue item = entry(column);
            if (item == null || indent != column || !isEntry()) {
                bounds.back(values, 0);
                return start == head
                        ? Rest.all(text)
                        : new Rest(
                                text.substring(0, head).concat(text.substring(start)),
                                headLines,
                                startLine - 1 - headLines,
                                start - head);
            }
            if (items.take().test(item)) {
                bounds.item();
            }
        }
    }

    /** Reads the content of an entry of a list, and moves to the next line with content. Returns null if it is not simple. */
    private @Nullable YamlValue entry(int column) {
        at++;
        skipSpaces();
        YamlValue value = keyEnd() >= 0 ? mapping(at - lineStart) : ofOneLine(column);
        return value == null || indent > column ? null : value;
    }

    /** Reads a value that must end on this line, and moves to the next line with content. */
    private @Nullable YamlValue ofOneLine(int column) {
        YamlValue value = inline(false);
        return value == null || !toNextContent() || indent > column ? null : value;
    }

    private @Nullable YamlMap mapping(int column) {
        Place place = begin();
        bounds.enter(place);
        List<Entry> entries = new ArrayList<>();
        do {
            int end = keyEnd();
            if (end < 0) {
                return null;
            }
            bounds.key(entries.size(), place);
            YamlScalar key = new YamlScalar(begin(), texts.of(text, at, end), false);
            at = end + 1;
            YamlValue value = isLineEnd(at) ? below(column) : beside(column);
            if (value == null) {
                return null;
            }
            entries.add(new Entry(key, value));
        } while (indent == column);
        bounds.leave();
        return new YamlMap(place, entries);
    }

    /** Reads the value of a key on the same line. */
    private @Nullable YamlValue beside(int column) {
        skipSpaces();
        return ofOneLine(column);
    }

    /** Reads the value of a key on the lines below. */
    private @Nullable YamlValue below(int column) {
        if (!toNextContent() || indent < column) {
            return null;
        }
        if (isEntry()) {
            return list(indent);
        }
        return indent > column ? mapping(indent) : null;
    }

    private @Nullable YamlList list(int column) {
        Place place = begin();
        bounds.enter(place);
        List<YamlValue> values = new ArrayList<>();
        while (indent == column && isEntry()) {
            YamlValue value = entry(column);
            if (value == null) {
                return null;
            }
            values.add(value);
        }
        bounds.leave();
        return new YamlList(place, values);
    }

    private @Nullable YamlValue inline(boolean inBraces) {
        char c = peek(at);
        if (c == '{') {
            return mappingInBraces();
        }
        if (c == '[') {
            return listInBrackets();
        }
        return c == '"' || c == '\'' ? quoted(c) : plain(inBraces);
    }

    private @Nullable YamlMap mappingInBraces() {
        Place place = begin();
        bounds.enter(place);
        List<Entry> entries = new ArrayList<>();
        at++;
        skipSpaces();
        while (peek(at) != '}' || !entries.isEmpty()) {
            bounds.key(entries.size(), place);
            YamlScalar key = keyInBraces();
            if (key == null) {
                return null;
            }
            skipSpaces();
            YamlValue value = inline(true);
            if (value == null) {
                return null;
            }
            entries.add(new Entry(key, value));
            if (!another()) {
                break;
            }
        }
        if (peek(at) != '}') {
            return null;
        }
        at++;
        bounds.leave();
        return new YamlMap(place, entries);
    }

    /** Reads a key, its colon, and the space after it. */
    private @Nullable YamlScalar keyInBraces() {
        char c = peek(at);
        if (c == '"' || c == '\'') {
            YamlScalar key = quoted(c);
            return key == null || peek(at++) != ':' || peek(at) != ' ' ? null : key;
        }
        int end = keyEnd();
        if (end < 0) {
            return null;
        }
        YamlScalar key = new YamlScalar(begin(), texts.of(text, at, end), false);
        at = end + 1;
        return key;
    }

    private @Nullable YamlList listInBrackets() {
        Place place = begin();
        bounds.enter(place);
        List<YamlValue> values = new ArrayList<>();
        at++;
        skipSpaces();
        while (peek(at) != ']' || !values.isEmpty()) {
            YamlValue value = inline(true);
            if (value == null) {
                return null;
            }
            values.add(value);
            if (!another()) {
                break;
            }
        }
        if (peek(at) != ']') {
            return null;
        }
        at++;
        bounds.leave();
        return new YamlList(place, values);
    }

    /** Moves behind a comma. Returns false if there is none. */
    private boolean another() {
        skipSpaces();
        if (peek(at) != ',') {
            return false;
        }
        at++;
        skipSpaces();
        return true;
    }

    private @Nullable YamlScalar quoted(char quote) {
        Place place = begin();
        int start = ++at;
        while (peek(at) != quote) {
            if (!isText(peek(at)) || (quote == '"' && peek(at) == '\\')) {
                return null;
            }
            at++;
        }
        String content = texts.of(text, start, at++);
        return peek(at) == quote ? null : new YamlScalar(place, content, true);
    }

    private @Nullable YamlScalar plain(boolean inBraces) {
        char first = peek(at);
        if (first == '-' ? !isWord(peek(at + 1)) : !isText(first) || INDICATORS.indexOf(first) >= 0) {
            return null;
        }
        Place place = begin();
        int start = at;
        int end = at;
        while (true) {
            char c = peek(at);
            if (c == ' ') {
                skipSpaces();
                if (peek(at) == '#') {
                    break;
                }
                continue;
            }
            if (c == '\n' || c == END || (inBraces && (c == ',' || c == ']' || c == '}'))) {
                break;
            }
            if (!isText(c)
                    || (c == ':' && isSeparator(peek(at + 1), inBraces))
                    || (inBraces && (c == '[' || c == '{' || c == '?'))) {
                return null;
            }
            end = ++at;
        }
        at = end;
        return new YamlScalar(place, texts.of(text, start, end), false);
    }

    /** Returns whether a colon before this character ends a key. */
    private static boolean isSeparator(char next, boolean inBraces) {
        return next <= ' ' || (inBraces && ",[]{}".indexOf(next) >= 0);
    }

    /** Returns the position of the colon that ends a key here; -1 if this is not a key of letters, digits and few other characters. */
    private int keyEnd() {
        char first = peek(at);
        if (!isWord(first) && first != '$' && first != '_') {
            return -1;
        }
        int end = at + 1;
        while (end - at <= LONGEST_KEY) {
            char c = peek(end);
            if (c == ':') {
                return peek(end + 1) == ' ' || isLineEnd(end + 1) ? end : -1;
            }
            if (!isWord(c) && "-_./$".indexOf(c) < 0) {
                return -1;
            }
            end++;
        }
        return -1;
    }

    private static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c > '~' && isText(c));
    }

    /** Counts a value that begins here, and returns its place. */
    private Place begin() {
        Place place = new Place(line, at - lineStart + 1);
        bounds.value(place);
        bounds.characters(at, place);
        return place;
    }

    private boolean isEntry() {
        return peek(at) == '-' && peek(at + 1) == ' ';
    }

    /** Returns whether nothing but spaces and a comment follow on the line. */
    private boolean isLineEnd(int from) {
        int i = from;
        while (peek(i) == ' ') {
            i++;
        }
        return peek(i) == '\n' || peek(i) == END || (peek(i) == '#' && i > from);
    }

    private void skipSpaces() {
        while (peek(at) == ' ') {
            at++;
        }
    }

    private void toLineEnd() {
        while (at < text.length() && text.charAt(at) != '\n') {
            at++;
        }
    }

    /** Moves from the end of a value to the next line with content. Returns false if more than a comment follows on this line. */
    private boolean toNextContent() {
        if (!isLineEnd(at)) {
            return false;
        }
        toLineEnd();
        toContent();
        return true;
    }

    /** Moves to the next content, from the end or the beginning of a line. Returns false at the end of the document. */
    private boolean toContent() {
        while (true) {
            if (peek(at) == '\n') {
                at++;
                line++;
                lineStart = at;
            }
            skipSpaces();
            if (peek(at) == '#') {
                toLineEnd();
            }
            if (at == text.length()) {
                indent = -1;
                return false;
            }
            if (peek(at) != '\n') {
                indent = at - lineStart;
                return true;
            }
        }
    }

    /** Returns the character at a position; {@link #END}, which no printable text has, after the last. */
    private char peek(int position) {
        return position < text.length() ? text.charAt(position) : END;
    }
}
