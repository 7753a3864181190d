package io.sluice.http.request;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** Iterates over the elements of a comma-separated header from the right, starting with its last line. Skips empty elements. */
final class HopsFromTheRight implements Iterator<String> {

    private final List<String> lines;
    private int line;
    private int end;
    private String next = "";

    public HopsFromTheRight(List<String> lines) {
        this.lines = lines;
        this.line = lines.size();
        advance();
    }

    @Override
    public boolean hasNext() {
        return !next.isEmpty();
    }

    @Override
    public String next() {
        if (next.isEmpty()) {
            throw new NoSuchElementException();
        }
        String hop = next;
        advance();
        return hop;
    }

    private void advance() {
        next = "";
        while (next.isEmpty() && (end > 0 || line > 0)) {
            if (end <= 0) {
                end = lines.get(--line).length() + 1;
            }
            int comma = end < 2 ? -1 : lines.get(line).lastIndexOf(',', end - 2);
            next = lines.get(line).substring(comma + 1, end - 1).strip();
            end = comma + 1;
        }
    }
}
