package io.sluice.replay.imports.draft;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Translates regular expressions that the patterns of rules can express: plain text, {@code .}, {@code .*}, {@code .+}, groups
 * of alternatives, and the anchors at both ends. Never runs an expression.
 */
public final class SimpleRegex {

    private static final int MOST_PATTERNS = 50;
    private static final int LONGEST = 500;

    private final String text;
    private int at;
    private int depth;
    private boolean choiceAtTop;

    private SimpleRegex(String text) {
        this.text = text;
    }

    /**
     * Returns patterns that together match the same texts; empty if there are none.
     *
     * @param whole whether the expression has to match the whole text, or only a part of it
     */
    public static Optional<List<String>> patterns(String regex, boolean whole) {
        if (regex.length() > LONGEST) {
            return Optional.empty();
        }
        boolean begins = whole || regex.startsWith("^");
        boolean ends = whole || (regex.endsWith("$") && !regex.endsWith("\\$"));
        String body = regex.startsWith("^") ? regex.substring(1) : regex;
        body = body.endsWith("$") && !body.endsWith("\\$") ? body.substring(0, body.length() - 1) : body;
        SimpleRegex parser = new SimpleRegex(body);
        List<String> found = parser.alternatives();
        if (found == null || parser.at < body.length() || (parser.choiceAtTop && !whole)) {
            // Outside of a group, an anchor belongs to one alternative only.
            return Optional.empty();
        }
        List<String> patterns = new ArrayList<>();
        for (String each : found) {
            String open = (begins ? "" : "*") + each + (ends ? "" : "*");
            patterns.add(open.replaceAll("(?<!\\\\)\\*{2,}", "*"));
        }
        return Optional.of(patterns);
    }

    /** Returns a pattern that matches only this text. */
    public static String literal(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            out.append(c == '*' || c == '?' || c == '\\' ? "\\" : "").append(c);
        }
        return out.toString();
    }

    private @Nullable List<String> alternatives() {
        List<String> all = new ArrayList<>();
        List<String> one = sequence();
        while (one != null) {
            all.addAll(one);
            if (at >= text.length() || text.charAt(at) != '|') {
                return all.size() > MOST_PATTERNS ? null : all;
            }
            choiceAtTop |= depth == 0;
            at++;
            one = sequence();
        }
        return null;
    }

    private @Nullable List<String> sequence() {
        List<String> found = List.of("");
        while (at < text.length() && text.charAt(at) != '|' && text.charAt(at) != ')') {
            List<String> next = next();
            if (next == null || (long) found.size() * next.size() > MOST_PATTERNS) {
                return null;
            }
            List<String> joined = new ArrayList<>();
            for (String before : found) {
                next.forEach(after -> joined.add(before + after));
            }
            found = joined;
        }
        return found;
    }

    private @Nullable List<String> next() {
        char c = text.charAt(at++);
        if (c == '(') {
            return group();
        }
        if (c == '.') {
            char after = at < text.length() ? text.charAt(at) : ' ';
            boolean repeats = after == '*' || after == '+';
            at += repeats ? 1 : 0;
            return repeated() ? null : List.of(repeats ? (after == '*' ? "*" : "?*") : "?");
        }
        if (c == '\\') {
            char escaped = at < text.length() ? text.charAt(at++) : 'x';
            return Character.isLetterOrDigit(escaped) || repeated() ? null : List.of(literal(String.valueOf(escaped)));
        }
        return "[]{}*+?^$".indexOf(c) >= 0 || repeated() ? null : List.of(literal(String.valueOf(c)));
    }

    private @Nullable List<String> group() {
        if (++depth > 10) {
            return null;
        }
        if (text.startsWith("?:", at)) {
            at += 2;
        } else if (at < text.length() && text.charAt(at) == '?') {
            return null;
        }
        List<String> inner = alternatives();
        depth--;
        if (inner == null || at >= text.length() || text.charAt(at++) != ')' || repeated()) {
            return null;
        }
        return inner;
    }

    /** Returns whether a quantifier follows. */
    private boolean repeated() {
        return at < text.length() && "*+?{".indexOf(text.charAt(at)) >= 0;
    }
}
