package io.sluice.rules.yaml;

/** Makes untrusted text safe to print in a message: at most 60 characters, no line breaks, no terminal escape sequences. */
public final class PrintableText {

    private static final int LONGEST = 60;

    private PrintableText() {}

    /**
     * Puts trusted text, such as the message of a library, on one line. Each run of white space and control characters becomes
     * one space.
     */
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
            if (isHidden(c)) {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    private static boolean isHidden(char c) {
        int type = Character.getType(c);
        return Character.isISOControl(c)
                || Character.isSurrogate(c)
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }
}
