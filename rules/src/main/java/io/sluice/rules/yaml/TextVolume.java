package io.sluice.rules.yaml;

/**
 * How much there is to read in a text, found out in one quick look at each character. A YAML parser is a hundred times slower than
 * that, so a text that is too much for it is refused before it begins.
 *
 * <p>Each value, and each line of a text of several lines, has a mark before it: a line break, a comma, a colon, a bracket, a dash.
 * So marks bound their number, and those in texts and comments count as well. Filling are comments and blank lines, for which
 * a parser has nothing to say.
 */
final class TextVolume {

    /** Those of 100,000 rules as they are usually written, and as many again. */
    static final int MOST_MARKS = 6_000_000;

    static final int MOST_FILLING = 8_000_000;
    static final int LONGEST_RUN = 5_000_000;

    /** Of which a YAML parser makes more than of anything else. */
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

    /** Refuses a text that is too much. */
    static TextVolume checked(String text) {
        TextVolume volume = new TextVolume(text);
        volume.check();
        return volume;
    }

    /** Refuses what is too much for YAML, but not for JSON. */
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
                    new Place(line, at - lineStart + 1), what + " (expected: fewer, or several documents)");
        }
    }
}
