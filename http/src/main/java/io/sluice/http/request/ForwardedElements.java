package io.sluice.http.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads {@code Forwarded} headers (RFC 7239). A line that breaks the grammar anywhere is ignored as a whole: with an open
 * quote, a caller could hide the elements that a proxy adds after it.
 */
final class ForwardedElements {

    /** The node of an element without {@code for}. */
    private static final String UNKNOWN = "unknown";

    private final String line;
    private int at;

    private ForwardedElements(String line) {
        this.line = line;
    }

    /** Returns the {@code for} of every element, from the left, or a single {@code unknown} for a malformed header. */
    public static List<String> nodes(List<String> lines) {
        List<String> nodes = new ArrayList<>();
        for (String line : lines) {
            if (!new ForwardedElements(line).read(nodes)) {
                return new ArrayList<>(List.of(UNKNOWN));
            }
        }
        return nodes;
    }

    private boolean read(List<String> nodes) {
        skipBlanks();
        while (at < line.length()) {
            if (line.charAt(at) != ',' && !element(nodes)) {
                return false;
            }
            if (at < line.length() && line.charAt(at++) != ',') {
                return false;
            }
            skipBlanks();
        }
        return true;
    }

    /** Reads {@code name=value;name=value}, up to a comma. */
    private boolean element(List<String> nodes) {
        String node = null;
        while (true) {
            skipBlanks();
            int start = at;
            skipToken();
            if (at > start) {
                String name = line.substring(start, at).toLowerCase(Locale.ROOT);
                StringBuilder value = new StringBuilder();
                if (at == line.length() || line.charAt(at++) != '=' || !value(value)) {
                    return false;
                }
                if (name.equals("for")) {
                    if (node != null) {
                        return false;
                    }
                    node = value.toString();
                }
                skipBlanks();
            }
            if (at == line.length() || line.charAt(at) != ';') {
                nodes.add(node == null ? UNKNOWN : node);
                return true;
            }
            at++;
        }
    }

    private boolean value(StringBuilder value) {
        if (at < line.length() && line.charAt(at) == '"') {
            at++;
            return quoted(value);
        }
        int start = at;
        skipToken();
        value.append(line, start, at);
        return at > start;
    }

    private boolean quoted(StringBuilder value) {
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c == '"') {
                return true;
            }
            if (c == '\\') {
                if (at == line.length()) {
                    return false;
                }
                c = line.charAt(at++);
            }
            if (c < ' ' && c != '\t') {
                return false;
            }
            value.append(c);
        }
        return false;
    }

    private void skipToken() {
        while (at < line.length() && isToken(line.charAt(at))) {
            at++;
        }
    }

    private void skipBlanks() {
        while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
            at++;
        }
    }

    private static boolean isToken(char c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
}
