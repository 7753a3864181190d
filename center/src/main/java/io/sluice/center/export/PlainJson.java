package io.sluice.center.export;

/**
 * JSON whose content is fully visible on a terminal and in an editor: control characters, line separators, and characters that change the
 * direction or are invisible are escaped. A reader of JSON gets the same values.
 */
public final class PlainJson {

    private static final int FIRST_NOT_ASCII = 0x7f;

    private PlainJson() {}

    /** Escapes invisible characters. */
    public static String of(String json) {
        return escaped(json, false);
    }

    /** Escapes all characters that are not ASCII. */
    public static String ascii(String json) {
        return escaped(json, true);
    }

    private static String escaped(String json, boolean ascii) {
        StringBuilder text = new StringBuilder(json.length() + 16);
        int length;
        for (int i = 0; i < json.length(); i += length) {
            int character = json.codePointAt(i);
            length = Character.charCount(character);
            if (ascii ? character < FIRST_NOT_ASCII : shows(character)) {
                text.appendCodePoint(character);
            } else {
                for (int j = i; j < i + length; j++) {
                    text.append(String.format("\\u%04x", (int) json.charAt(j)));
                }
            }
        }
        return text.toString();
    }

    /** Returns whether a character is visible and leaves its neighbours in place. */
    static boolean shows(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
