package io.sluice.rules.yaml;

/**
 * Estimates the work of parsing a text, in one quick pass over its characters. A YAML parser is a hundred times slower than this pass, so a
 * text that is too large for it is refused before parsing starts.
 *
 * <p>Each value, and each line of a multi-line text, is preceded by a mark: a line break, a comma, a colon, a bracket or a dash. So the
 * number of marks bounds the number of values. Marks inside texts and comments count as well. Comments and blank lines are filling: the
 * parser reads them but reports no values for them.
 */
final class TextVolume {

    /** The maximum number of marks: twice the marks of 100,000 rules as they are usually written. */
    static final int MOST_MARKS = 6_000_000;

    static final int MOST_FILLING = 8_000_000;
    static final int LONGEST_RUN = 5_000_000;

    /** The maximum number of escapes, which are the most expensive part of a text for a YAML parser. */
    private static final int MOST_ESCAPES = 1_000_000;

    private final String text;
    private int marks;
    private int escapes;
    private int lastMark = -1;
    private int filling;
    private int line = 1;
    private int lineStart;

    private TextVolume(String text) {
        this.text = text;
    }

    /** Checks a text and refuses it if it is too large. */
    static TextVolume checked(String text) {
        TextVolume volume = new TextVolume(text);
        volume.check();
        return volume;
    }

    /** Refuses a text that is too expensive as YAML, even if it is acceptable as JSON. */
    void checkForYaml() {
        refuse(escapes > MOST_ESCAPES, lineStart, "escapes: more than " + MOST_ESCAPES);
    }

    private void check() {
        boolean blank = true;
        boolean comment = false;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (isMark(c, at)) {
                mark(at);
            }
            if (c == '\n') {
                filling += blank || comment ? at - lineStart + 1 : 0;
                line++;
                lineStart = at + 1;
                blank = true;
                comment = false;
                refuse(filling > MOST_FILLING, at, "comments: more than " + MOST_FILLING + " characters");
            } else if (blank && c != ' ') {
                blank = false;
                comment = c == '#' || c == '%';
            }
        }
        mark(text.length());
    }

    private void mark(int at) {
        marks++;
        escapes += at < text.length() && text.charAt(at) == '\\' ? 1 : 0;
        refuse(marks > MOST_MARKS, at, "values: more than " + MOST_MARKS / 2);
        refuse(at - lastMark > LONGEST_RUN, at, "text: longer than " + LONGEST_RUN + " characters");
        lastMark = at;
    }

    private boolean isMark(char c, int at) {
        return switch (c) {
            case '\n', '\r', ',', ':', '[', '{', '\\' -> true;
            case '-', '?' -> at + 1 == text.length() || text.charAt(at + 1) <= ' ';
            default -> false;
        };
    }

    private void refuse(boolean tooMuch, int at, String what) {
        if (tooMuch) {
            throw UnreadableDocument.outOfBounds(
                    new Place(line, at - lineStart + 1), what + " (expected: a smaller document or several)");
        }
    }
}
