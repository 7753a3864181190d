package io.sluice.replay.report;

/** Escapes text for HTML. */
final class HtmlText {

    private HtmlText() {}

    static String of(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(point -> {
            switch (point) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> {
                    if (Character.isISOControl(point)) {
                        safe.append('�');
                    } else {
                        safe.appendCodePoint(point);
                    }
                }
            }
        });
        return safe.toString();
    }
}
