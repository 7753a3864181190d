package io.sluice.center.export;

import java.util.List;

/**
 * A line of a CSV file according to RFC 4180 that no spreadsheet treats as a formula. Spreadsheets compute a cell that starts with one of
 * {@code = + - @}; a preceding apostrophe makes it a text. Quotes, spaces and invisible characters may precede the sign, and the sign may
 * be a full-width character.
 */
final class CsvLine {

    private static final String SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b|%\uff05\uff5c";

    private CsvLine() {}

    /** Returns a line with its line break. */
    static String of(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            line.append(i == 0 ? "" : ",").append(cell(cells.get(i)));
        }
        return line.append("\r\n").toString();
    }

    private static String cell(String value) {
        String text = escaped(value);
        String safe = isFormula(value) ? "'" + text : text;
        boolean isPlain = safe.chars().allMatch(each -> each != ',' && each != '"' && each != ';' && each != '\'')
                && safe.equals(safe.strip());
        return isPlain ? safe : "\"" + safe.replace("\"", "\"\"") + "\"";
    }

    /** Escapes invisible characters. Line breaks would be legal, but many programs read lines. */
    private static String escaped(String value) {
        StringBuilder text = new StringBuilder(value.length());
        value.codePoints().forEach(each -> {
            switch (each) {
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (PlainJson.shows(each)) {
                        text.appendCodePoint(each);
                    } else {
                        text.append(String.format("\\u%04x", each));
                    }
                }
            }
        });
        return text.toString();
    }

    private static boolean isFormula(String value) {
        for (int i = 0; i < value.length(); ) {
            int each = value.codePointAt(i);
            if (SIGNS.indexOf(each) >= 0 || each == '\t' || each == '\r' || each == '\n') {
                return true;
            }
            boolean isBefore = each == '"'
                    || each == '\''
                    || each == '`'
                    || !PlainJson.shows(each)
                    || Character.isWhitespace(each)
                    || Character.isSpaceChar(each)
                    || Character.getType(each) == Character.INITIAL_QUOTE_PUNCTUATION
                    || Character.getType(each) == Character.FINAL_QUOTE_PUNCTUATION;
            if (!isBefore) {
                return false;
            }
            i += Character.charCount(each);
        }
        return false;
    }
}
