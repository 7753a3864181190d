package io.sluice.replay.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines that are JSON objects. Finds the wanted fields, also inside other objects ({@code request.path}), and skips all other content
 * without creating objects for it. Not thread-safe.
 */
final class JsonLines implements LineParser {

    private static final int DEEPEST = 50;
    private static final FieldTarget[] NOBODY = {};

    private static final Name UNNAMED = new Name(new byte[0]);

    private final Name root = new Name(new byte[0]);
    private byte[] in = {};
    private int at;
    private int end;

    /** The name of a wanted field, or of an object that contains wanted fields. */
    private static final class Name {

        final byte[] text;
        final List<Name> inner = new ArrayList<>();
        FieldTarget[] targets = NOBODY;

        Name(byte[] text) {
            this.text = text;
        }

        Name inner(String name) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            for (Name each : inner) {
                if (Arrays.equals(each.text, bytes)) {
                    return each;
                }
            }
            Name added = new Name(bytes);
            inner.add(added);
            return added;
        }
    }

    JsonLines(Map<String, List<FieldTarget>> sources) {
        sources.forEach((path, targets) -> {
            FieldTarget[] own = targets.toArray(FieldTarget[]::new);
            // A dot may be part of a name, or separate an object from its field.
            root.inner(path).targets = own;
            int dot = path.indexOf('.');
            if (dot > 0) {
                root.inner(path.substring(0, dot)).inner(path.substring(dot + 1)).targets = own;
            }
            Name last = root;
            for (String name : path.split("\\.", -1)) {
                last = last.inner(name);
            }
            last.targets = own;
        });
    }

    @Override
    public Line read(byte[] line, int from, int to, LineFields fields) {
        in = line;
        at = from;
        end = to;
        space();
        if (at >= end || in[at] != '{') {
            fields.problem("not JSON (expected: an object such as {\"time\": …})");
            return Line.UNREADABLE;
        }
        boolean whole = object(root, fields, 0);
        space();
        if (!whole || at != end) {
            fields.problem(Math.min(at, end) - from + 1, "not JSON (expected: one whole object on the line)");
            return Line.UNREADABLE;
        }
        return Line.REQUEST;
    }

    private boolean object(Name names, LineFields fields, int depth) {
        at++;
        space();
        if (skip('}')) {
            return true;
        }
        do {
            space();
            int start = at + 1;
            if (!text()) {
                return false;
            }
            Name name = find(names, start, at - 1);
            space();
            if (!skip(':') || !value(name, fields, depth + 1)) {
                return false;
            }
            space();
        } while (skip(','));
        return skip('}');
    }

    private boolean value(@Nullable Name name, LineFields fields, int depth) {
        space();
        if (at >= end || depth > DEEPEST) {
            return false;
        }
        int start = at;
        switch (in[at]) {
            case '"' -> {
                if (!text()) {
                    return false;
                }
                if (name != null) {
                    Escapes.set(fields, name.targets, in, start + 1, at - 1);
                }
                return true;
            }
            case '{' -> {
                return object(name == null ? UNNAMED : name, fields, depth);
            }
            case '[' -> {
                return list(fields, depth);
            }
            default -> {
                return word(name, fields, start);
            }
        }
    }

    private boolean list(LineFields fields, int depth) {
        at++;
        space();
        if (skip(']')) {
            return true;
        }
        do {
            if (!value(null, fields, depth + 1)) {
                return false;
            }
            space();
        } while (skip(','));
        return skip(']');
    }

    /** Reads a number, true, false or null. */
    private boolean word(@Nullable Name name, LineFields fields, int start) {
        while (at < end && isWord(in[at])) {
            at++;
        }
        boolean nothing = at - start == 4 && in[start] == 'n';
        if (name != null && !nothing) {
            Escapes.set(fields, name.targets, in, start, at);
        }
        return at > start;
    }

    private static boolean isWord(byte c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '-'
                || c == '+'
                || c == '.';
    }

    private @Nullable Name find(Name names, int from, int to) {
        List<Name> inner = names.inner;
        for (int i = 0; i < inner.size(); i++) {
            byte[] text = inner.get(i).text;
            if (text.length == to - from && Arrays.equals(text, 0, text.length, in, from, to)) {
                return inner.get(i);
            }
        }
        return null;
    }

    /** Skips a text with its quotation marks. */
    private boolean text() {
        if (!skip('"')) {
            return false;
        }
        for (; at < end; at++) {
            if (in[at] == '\\') {
                at++;
            } else if (in[at] == '"') {
                at++;
                return true;
            }
        }
        return false;
    }

    private void space() {
        while (at < end && (in[at] == ' ' || in[at] == '\t' || in[at] == '\r')) {
            at++;
        }
    }

    private boolean skip(char c) {
        if (at < end && in[at] == c) {
            at++;
            return true;
        }
        return false;
    }
}
