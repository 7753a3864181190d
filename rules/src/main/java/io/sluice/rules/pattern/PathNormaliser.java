package io.sluice.rules.pattern;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts one path to its normal form, or refuses it. Each reading takes one pass over the text. Used by one thread.
 *
 * <p>Servers do four things to a path, but not all of them and not in the same order: decode, strip parameters, resolve dots, split. This
 * class first splits segments at characters that are a slash to every server, then drops parameters and decodes escapes. A path that could
 * have a slash, a parameter or an escape in another order is refused rather than guessed.
 *
 * <p>An accepted path can be read in a few ways, depending on the steps that a server leaves out: a {@link Reading} each. Two constructs
 * would allow more readings and are therefore refused: a segment without a name, which servers keep, merge or drop, and dot segments of
 * several spellings, of which servers may resolve only some.
 *
 * <p>{@code java.net.URI} guesses: its path has a slash for {@code %2F} and keeps parameters.
 */
final class PathNormaliser {

    private static final String BEGINS = "a path that begins with /";
    private static final String NO_CONTROL = "no control characters";
    private static final String NO_BACKSLASH = "no backslash";
    private static final String UTF8 = "percent-encoded valid UTF-8";

    /** The treatment of parameters by a server. Fastify cut the path at the first parameter until version 4. */
    private enum Parameters {
        DROPPED,
        KEPT,
        CUT
    }

    /**
     * A possible reading of a path by a server.
     *
     * @param decoded whether escapes of ASCII characters are decoded
     * @param resolved whether dot segments are resolved
     * @param folded whether the case of characters other than ASCII is also ignored if the case of ASCII characters is ignored
     */
    private record Reading(Parameters parameters, boolean decoded, boolean resolved, boolean folded) {

        static final Reading NORMAL = new Reading(Parameters.DROPPED, true, true, true);
    }

    private final String path;
    private final PathForm form;
    private final StringBuilder out;
    private Reading reading = Reading.NORMAL;
    private int at;
    private int end;

    private boolean hasParameters;
    private boolean hasEscapes;
    private boolean hasFolds;
    private boolean endsWithSlash;

    /** The dot segments as they were sent; null if there are none. */
    private @Nullable String dots;

    public PathNormaliser(String path, PathForm form) {
        this.path = path;
        this.form = form;
        this.out = new StringBuilder(path.length() + 16);
    }

    public String normal() {
        return read(Reading.NORMAL);
    }

    /** Returns all readings except the normal form. */
    public List<String> otherReadings() {
        String normal = normal();
        List<Parameters> kinds = hasParameters && !form.servlet()
                ? List.of(Parameters.DROPPED, Parameters.KEPT, Parameters.CUT)
                : List.of(Parameters.DROPPED);
        List<Boolean> decoded = hasEscapes ? List.of(true, false) : List.of(true);
        List<Boolean> resolved = dots == null ? List.of(true) : List.of(true, false);
        List<Boolean> folded = hasFolds ? List.of(true, false) : List.of(true);
        Set<String> all = new LinkedHashSet<>();
        for (Parameters each : kinds) {
            for (boolean decode : decoded) {
                for (boolean resolve : resolved) {
                    for (boolean fold : folded) {
                        addTo(all, new Reading(each, decode, resolve, fold));
                    }
                }
            }
        }
        all.remove(normal);
        return new ArrayList<>(all);
    }

    private void addTo(Set<String> all, Reading way) {
        String text = read(way);
        all.add(text);
        if (endsWithSlash) {
            all.add((text.equals("/") ? text : text + "/") + Attributes.EMPTY_SEGMENT);
        }
    }

    private String read(Reading reading) {
        this.reading = reading;
        out.setLength(0);
        at = 0;
        end = path.length();
        endsWithSlash = false;
        dots = null;
        cutQueryAndFragment();
        if (end == 1 && path.charAt(0) == '*') {
            return "*";
        }
        skipSchemeAndAuthority();
        cutParameters();
        if (at == end) {
            endsWithSlash = true;
        }
        while (at < end) {
            at++;
            segment();
        }
        refuseTwiceEncoded();
        return out.isEmpty() ? "/" : out.toString();
    }

    private void cutParameters() {
        int semicolon = reading.parameters() == Parameters.CUT ? path.indexOf(';', at) : -1;
        if (semicolon >= 0 && semicolon < end) {
            end = semicolon;
        }
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

    /** Reads from after a slash to the next slash. */
    private void segment() {
        int sent = at;
        int start = out.length();
        out.append('/');
        boolean parameters = false;
        while (at < end && path.charAt(at) != '/') {
            if (path.charAt(at) == ';') {
                parameters = true;
                at++;
                if (reading.parameters() == Parameters.KEPT) {
                    out.append(';');
                }
            } else {
                int length = out.length();
                character();
                if (parameters) {
                    dropParameter(length);
                }
            }
        }
        hasParameters |= parameters;
        int length = out.length() - start - 1;
        if (length == 0) {
            noName(start, parameters);
        } else if (isDots(start + 1, out.length())) {
            dots(start, path.substring(sent, at), length, parameters);
        } else if (form.encodedSlash()) {
            refuseHiddenDots(start + 1);
        }
    }

    private void dropParameter(int start) {
        if (out.indexOf("%2F", start) >= 0 || out.indexOf("%25", start) >= 0) {
            throw refused("no encoded slash or percent sign in a path parameter");
        }
        if (reading.parameters() == Parameters.DROPPED) {
            out.setLength(start);
        }
    }

    /** Drops a segment without a name, which is allowed only at the end: a slash, or the session id of a servlet container. */
    private void noName(int start, boolean parameters) {
        if (at < end || (parameters && !form.servlet())) {
            throw refused(
                    parameters
                            ? "no segment that has parameters only"
                            : start == 0
                                    ? "no // at the start; some servers read what follows as a host"
                                    : "no empty segment (//)");
        }
        endsWithSlash = true;
        out.setLength(start);
    }

    private void dots(int start, String sent, int length, boolean parameters) {
        if (parameters || !form.resolve()) {
            throw refused(
                    parameters
                            ? "no . or .. segments with parameters"
                            : length == 2 ? "no .. segments" : "no . segments");
        }
        if (dots != null && !dots.equals(sent)) {
            throw refused("dot segments of one spelling");
        }
        dots = sent;
        endsWithSlash = at == end;
        if (!reading.resolved()) {
            return;
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
     * Refuses dots beside an encoded slash. A name with encoded slashes may contain a {@code ..} segment for a server that decodes them.
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
            int length = out.length();
            encodedAscii((char) first);
            if (out.charAt(length) != '%') {
                escaped(length);
            }
        } else {
            text(utf8(first), UTF8);
        }
    }

    /** Notes that a character was decoded, or restores the escape if the reading keeps escapes. */
    private void escaped(int start) {
        hasEscapes = true;
        if (!reading.decoded()) {
            out.setLength(start);
            out.append(path, at - 3, at);
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
        int small = form.ignoreCase() ? NormalPath.withoutCase(point) : point;
        hasFolds |= small != point;
        out.appendCodePoint(reading.folded() ? small : point);
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
