package io.sluice.replay.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lines of columns, whose names are in the first line. The separator is the comma, semicolon or tab, whichever is most frequent in the
 * first line. A column may be in quotation marks, which are doubled inside; a line break inside is not supported. Not thread-safe.
 */
final class CsvLines implements LineParser {

    private final FieldSources sources;
    private final Map<String, String> mapping;
    private final List<FieldTarget[]> columns = new ArrayList<>();
    private final Set<String> found = new TreeSet<>();
    private byte separator = ',';

    CsvLines(FieldSources sources, Map<String, String> mapping) {
        this.sources = sources;
        this.mapping = mapping;
    }

    @Override
    public Line read(byte[] line, int from, int to, LineFields fields) {
        if (columns.isEmpty()) {
            return heading(new String(line, from, to - from, StandardCharsets.UTF_8), fields);
        }
        int at = from;
        for (int column = 0; column < columns.size(); column++) {
            if (at > to) {
                fields.problem(
                        to - from + 1, column + " columns (expected: " + columns.size() + ", as in the first line)");
                return Line.UNREADABLE;
            }
            boolean quoted = at < to && line[at] == '"';
            int end = quoted ? quotedEnd(line, at + 1, to) : LineFields.indexOf(line, at, to, (char) separator);
            if (quoted && (end < 0 || (end + 1 < to && line[end + 1] != separator))) {
                fields.problem(at - from + 1, "quotation mark (expected: another one before the next column)");
                return Line.UNREADABLE;
            }
            int last = end < 0 ? to : end;
            set(fields, columns.get(column), line, quoted ? at + 1 : at, last, quoted);
            at = last + (quoted ? 2 : 1);
        }
        return Line.REQUEST;
    }

    private Line heading(String line, LineFields fields) {
        separator = ',';
        for (char other : new char[] {';', '\t'}) {
            if (count(line, other) > count(line, (char) separator)) {
                separator = (byte) other;
            }
        }
        for (String name : line.split(String.valueOf((char) separator), -1)) {
            String plain = name.strip();
            boolean quoted = plain.length() > 1 && plain.startsWith("\"") && plain.endsWith("\"");
            String column = quoted ? plain.substring(1, plain.length() - 1) : plain;
            columns.add(sources.of(column));
            found.add(column);
        }
        for (Map.Entry<String, String> each : mapping.entrySet()) {
            if (!found.contains(FieldSources.plain(each.getValue()))) {
                fields.problem(
                        "no column " + each.getValue() + " for " + each.getKey() + " (expected: one of " + found + ")");
                return Line.UNREADABLE;
            }
        }
        return Line.NOTHING;
    }

    private static long count(String line, char c) {
        return line.chars().filter(each -> each == c).count();
    }

    private static int quotedEnd(byte[] line, int from, int to) {
        for (int i = from; i < to; i++) {
            if (line[i] == '"') {
                if (i + 1 >= to || line[i + 1] != '"') {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    private static void set(LineFields fields, FieldTarget[] targets, byte[] line, int from, int to, boolean quoted) {
        if (targets.length == 0) {
            return;
        }
        byte[] bytes = line;
        int start = from;
        int end = to;
        if (quoted && LineFields.indexOf(line, from, to, '"') >= 0) {
            bytes = fields.scratch(to - from);
            start = fields.scratchUsed();
            end = start;
            for (int i = from; i < to; i++) {
                bytes[end++] = line[i];
                i += line[i] == '"' ? 1 : 0;
            }
            fields.scratchUsed(end);
        }
        for (FieldTarget target : targets) {
            fields.set(target, bytes, start, end);
        }
    }
}
