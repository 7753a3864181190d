package io.sluice.rules.pattern;

import java.util.Locale;

/**
 * Brings one path into its normal form, or refuses it. Works in one pass over the text. Used once, by one thread.
 *
 * <p>Servers do four things to a path, but not all of them and not in the same order: decode, strip parameters, resolve dots,
 * split. This class first splits segments at what is a slash to every server, then drops parameters and decodes escapes. Anything
 * that could be a slash, a parameter or an escape in another order is refused rather than guessed.
 *
 * <p>{@code java.net.URI} guesses: its path has a slash for {@code %2F} and keeps parameters.
 */
final class PathNormaliser {

    private static final String BEGINS = "a path that begins with /";
    private static final String NO_CONTROL = "no control characters";
    private static final String NO_BACKSLASH = "no backslash";
    private static final String UTF8 = "percent-encoded valid UTF-8";

    private final String path;
    private final PathForm form;
    private final StringBuilder out;
    private int at;
    private int end;

    public PathNormaliser(String path, PathForm form) {
        this.path = path;
        this.form = form;
        this.out = new StringBuilder(path.length() + 16);
        this.end = path.length();
    }

    public String normal() {
        cutQueryAndFragment();
        if (end == 1 && path.charAt(0) == '*') {
            return "*";
        }
        skipSchemeAndAuthority();
        while (at < end) {
            at++;
            segment();
        }
        refuseTwiceEncoded();
        return out.isEmpty() ? "/" : out.toString();
    }

    private void cutQueryAndFragment() {
        for (int i = 0; i < end; i++) {
            if (path.charAt(i) == '?' || path.charAt(i) == '#') {
                end = i;
            }
        }
    }

    private void skipSchemeAndAuthority() {
        if (end == 0 || path.charAt(0) == '/') {
            return;
        }
        int colon = path.indexOf("://");
        if (colon < 0 || colon > 5 || !isWeb(path.substring(0, colon)) || colon + 3 >= end) {
            throw refused(BEGINS);
        }
        at = colon + 3;
        while (at < end && path.charAt(at) != '/') {
            char c = path.charAt(at++);
            if (c <= ' ' || c >= 0x7f || c == '\\') {
                throw refused("a host of plain ASCII");
            }
        }
        if (at == colon + 3) {
            throw refused("a host after ://");
        }
    }

    private static boolean isWeb(String scheme) {
        return switch (scheme.toLowerCase(Locale.ROOT)) {
            case "http", "https", "ws", "wss" -> true;
            default -> false;
        };
    }

    /** Reads from after a slash to the next one. */
    private void segment() {
        int start = out.length();
        out.append('/');
        boolean parameters = false;
        while (at < end && path.charAt(at) != '/') {
            if (path.charAt(at) == ';') {
                parameters = true;
                at++;
            } else {
                int length = out.length();
                character();
                if (parameters) {
                    dropParameter(length);
                }
            }
        }
        int length = out.length() - start - 1;
        if (length == 0) {
            if (start == 0 && at < end && !form.resolve()) {
                throw refused("no // at the start; some servers read what follows as a host");
            }
            out.setLength(start);
        } else if (isDots(start + 1, out.length())) {
            dots(start, length, parameters);
        } else if (form.encodedSlash()) {
            refuseHiddenDots(start + 1);
        }
    }

    private void dropParameter(int start) {
        if (out.indexOf("%2F", start) >= 0 || out.indexOf("%25", start) >= 0) {
            throw refused("no encoded slash or percent sign in a path parameter");
        }
        out.setLength(start);
    }

    private void dots(int start, int length, boolean parameters) {
        if (parameters || (length == 2 && !form.resolve())) {
            throw refused(parameters ? "no . or .. segments with parameters" : "no .. segments");
        }
        out.setLength(start);
        if (length == 2) {
            if (start == 0) {
                throw refused("no .. above the root");
            }
            out.setLength(out.lastIndexOf("/"));
        }
    }

    private boolean isDots(int from, int to) {
        return to - from <= 2 && to > from && out.charAt(from) == '.' && out.charAt(to - 1) == '.';
    }

    /**
     * Refuses dots beside an encoded slash. A name with encoded slashes may contain what a server that decodes them reads as a
     * {@code ..} segment.
     */
    private void refuseHiddenDots(int start) {
        int from = start;
        for (int slash = out.indexOf("%2F", from); slash >= 0; slash = out.indexOf("%2F", from)) {
            if (isDots(from, slash)) {
                throw refused("no . or .. beside an encoded slash");
            }
            from = slash + 3;
        }
        if (from > start && isDots(from, out.length())) {
            throw refused("no . or .. beside an encoded slash");
        }
    }

    private void character() {
        char c = path.charAt(at);
        if (c == '%') {
            escape();
        } else if (c < 0x80) {
            at++;
            ascii(c);
        } else {
            int point = path.codePointAt(at);
            at += Character.charCount(point);
            text(point, "valid Unicode without control characters");
        }
    }

    private void escape() {
        int first = octet(at);
        if (first < 0x80) {
            at += 3;
            encodedAscii((char) first);
        } else {
            text(utf8(first), UTF8);
        }
    }

    private void encodedAscii(char c) {
        switch (c) {
            case '/' -> {
                if (!form.encodedSlash()) {
                    throw refused("no encoded slash (%2F)");
                }
                out.append("%2F");
            }
            case '%' -> out.append("%25");
            case '?' -> out.append("%3F");
            case '#' -> out.append("%23");
            case ';' -> throw refused("no encoded semicolon (%3B)");
            default -> ascii(c);
        }
    }

    private void ascii(char c) {
        if (c == ' ') {
            out.append("%20");
        } else if (c < ' ' || c == 0x7f) {
            throw refused(NO_CONTROL);
        } else if (c == '\\') {
            throw refused(NO_BACKSLASH);
        } else {
            out.append(form.ignoreCase() && c >= 'A' && c <= 'Z' ? (char) (c + 0x20) : c);
        }
    }

    private void text(int point, String expected) {
        if (!NormalPath.isText(point)) {
            throw refused(expected);
        }
        out.appendCodePoint(form.ignoreCase() ? Character.toLowerCase(point) : point);
    }

    /** Reads the escapes of one character. Only its shortest encoding is valid. */
    private int utf8(int first) {
        int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        int point = first & (0x7f >> length);
        at += 3;
        for (int i = 1; i < length; i++) {
            int next = at < end && path.charAt(at) == '%' ? octet(at) : 0;
            if ((next & 0xc0) != 0x80) {
                throw refused(UTF8);
            }
            point = (point << 6) | (next & 0x3f);
            at += 3;
        }
        int least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
        if (first < 0xc2 || first > 0xf4 || point < least || point > Character.MAX_CODE_POINT) {
            throw refused(UTF8);
        }
        return point;
    }

    private int octet(int percent) {
        int high = percent + 2 < end ? NormalPath.hex(path.charAt(percent + 1)) : -1;
        int low = percent + 2 < end ? NormalPath.hex(path.charAt(percent + 2)) : -1;
        if (high < 0 || low < 0) {
            throw refused("two hexadecimal digits after %");
        }
        return (high << 4) | low;
    }

    private void refuseTwiceEncoded() {
        for (int i = out.indexOf("%25"); i >= 0; i = out.indexOf("%25", i + 3)) {
            if (i + 4 < out.length()
                    && NormalPath.hex(out.charAt(i + 3)) >= 0
                    && NormalPath.hex(out.charAt(i + 4)) >= 0) {
                throw refused("percent-encoding only once (no %25 before two hexadecimal digits)");
            }
        }
    }

    private PathRefusedException refused(String expected) {
        return new PathRefusedException(path, expected);
    }
}
