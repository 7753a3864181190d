package io.sluice.rules.yaml;

/** Text of strangers as it may stand in a message: at most 60 characters, no line breaks, no terminal commands. */
public final class PrintableText {

    private static final int LONGEST = 60;

    private PrintableText() {}

    /** Text of our own tools on one line, each run of white space and of what a terminal would obey as one space. */
    static String line(String text) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean space = Character.isWhitespace(c) || Character.isISOControl(c);
            if (!space || (!line.isEmpty() && line.charAt(line.length() - 1) != ' ')) {
                line.append(space ? ' ' : c);
            }
        }
        return line.toString().strip();
    }

    public static String text(String text) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (i == LONGEST) {
                return shown.append('…').toString();
            }
            char c = text.charAt(i);
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || Character.isSurrogate(c)) {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }
}
