package io.sluice.replay.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Lines that a {@code log_format} of nginx describes: text with variables in it. A variable ends where the text after it begins; between
 * quotation marks, an escaped quotation mark does not end it. Immutable.
 */
final class LineTemplate implements LineParser {

    private final List<byte[]> literals = new ArrayList<>();
    private final List<FieldTarget[]> targets = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final int required;
    private final boolean open;

    /** The number of variables to read: all variables, or the variables up to the last wanted one. */
    private final int count;

    /**
     * Creates a template.
     *
     * @param required the number of variables that every line has; a line may end after them
     * @param open whether other text may follow the last variable
     */
    private LineTemplate(String format, Function<String, FieldTarget[]> sources, int required, boolean open) {
        int at = 0;
        StringBuilder literal = new StringBuilder();
        while (at < format.length()) {
            char c = format.charAt(at);
            int end = c == '$' ? nameEnd(format, at) : at;
            if (end == at) {
                literal.append(c);
                at++;
                continue;
            }
            if (literal.isEmpty() && !names.isEmpty()) {
                throw new IllegalArgumentException("format: $" + names.get(names.size() - 1) + " and "
                        + format.substring(at, end) + " (expected: a character between them)");
            }
            String name = FieldSources.plain(format.substring(at, end));
            add(literal, sources.apply(name), name);
            literal.setLength(0);
            at = end;
        }
        literals.add(literal.toString().getBytes(StandardCharsets.UTF_8));
        if (names.isEmpty()) {
            throw new IllegalArgumentException(
                    "format: no variables (expected: a log_format such as '$remote_addr [$time_local]')");
        }
        this.required = required < 0 ? names.size() : required;
        this.open = open;
        this.count = names.size();
    }

    private void add(StringBuilder literal, FieldTarget[] target, String name) {
        literals.add(literal.toString().getBytes(StandardCharsets.UTF_8));
        targets.add(target);
        names.add(name);
    }

    private LineTemplate(LineTemplate whole, int count) {
        literals.addAll(whole.literals);
        targets.addAll(whole.targets);
        names.addAll(whole.names);
        this.required = whole.required;
        this.open = whole.open;
        this.count = count;
    }

    /** Returns a template that skips the rest of a line after the last wanted variable. */
    LineTemplate hurried() {
        int last = names.size() - 1;
        while (last > 0 && targets.get(last).length == 0) {
            last--;
        }
        return open ? new LineTemplate(this, last + 1) : this;
    }

    /** Returns a template that every line has to match completely. */
    static LineTemplate exact(String format, FieldSources sources) {
        return new LineTemplate(format, sources::of, -1, false);
    }

    /** Returns a template for lines that may lack the variables after the required ones, and may have more text after the last variable. */
    static LineTemplate open(String format, FieldSources sources, int required) {
        return new LineTemplate(format, sources::of, required, true);
    }

    /** Returns the names of the variables. */
    List<String> names() {
        return names;
    }

    private static int nameEnd(String format, int dollar) {
        int at = dollar + 1;
        if (at < format.length() && format.charAt(at) == '{') {
            int close = format.indexOf('}', at);
            return close < 0 ? dollar : close + 1;
        }
        while (at < format.length() && (Character.isLetterOrDigit(format.charAt(at)) || format.charAt(at) == '_')) {
            at++;
        }
        return at == dollar + 1 ? dollar : at;
    }

    @Override
    public Line read(byte[] line, int from, int to, LineFields fields) {
        int at = from;
        for (int i = 0; i < count; i++) {
            byte[] before = literals.get(i);
            if (!startsWith(line, at, to, before)) {
                return at == to && i >= required ? Line.REQUEST : wrong(fields, before, at - from);
            }
            at += before.length;
            byte[] after = literals.get(i + 1);
            boolean quoted =
                    before.length > 0 && before[before.length - 1] == '"' && after.length > 0 && after[0] == '"';
            int end = end(line, at, to, after, quoted, i == names.size() - 1);
            if (end < 0) {
                if (i + 1 < required) {
                    return wrong(fields, after, to - from);
                }
                end = to;
            }
            Escapes.set(fields, targets.get(i), line, at, end);
            at = end;
        }
        if (count < names.size()) {
            return Line.REQUEST;
        }
        byte[] last = literals.get(names.size());
        boolean ends = startsWith(line, at, to, last) && at + last.length == to;
        return ends || open ? Line.REQUEST : wrong(fields, last, at - from);
    }

    private int end(byte[] line, int from, int to, byte[] after, boolean quoted, boolean last) {
        if (after.length == 0) {
            int space = last && open ? LineFields.indexOf(line, from, to, ' ') : -1;
            return space < 0 ? to : space;
        }
        for (int i = from; i <= to - after.length; i++) {
            if (quoted && line[i] == '\\') {
                i++;
            } else if (line[i] == after[0] && startsWith(line, i, to, after)) {
                return i;
            }
        }
        return -1;
    }

    private static Line wrong(LineFields fields, byte[] expected, int column) {
        fields.problem(
                column + 1, "not in the format (expected: '" + new String(expected, StandardCharsets.UTF_8) + "')");
        return Line.UNREADABLE;
    }

    private static boolean startsWith(byte[] line, int at, int to, byte[] text) {
        if (to - at < text.length) {
            return false;
        }
        for (int i = 0; i < text.length; i++) {
            if (line[at + i] != text[i]) {
                return false;
            }
        }
        return true;
    }
}
