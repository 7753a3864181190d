package io.sluice.rules.pattern;

import io.sluice.rules.yaml.PrintableText;
import java.util.ArrayList;
import java.util.List;

/**
 * A pattern for the paths of a rule: {@code /api/login} exactly, {@code /users/{id}} with any one non-empty segment, {@code
 * /api/orders/**} with any rest or none ({@code /api/orders}). Immutable.
 *
 * <p>Patterns are compared with paths in their {@linkplain PathForm normal form}. The matchers of web frameworks decode the
 * path themselves, which would add another reading.
 */
public final class PathPattern {

    /** The most permissive form: all content that a path may have. */
    public static final PathForm NORMAL = PathForm.STRICT.keepingEncodedSlash();

    private static final int LONGEST = 1_024;
    private static final String EXPECTED = " (expected: a path such as /users/{id}/orders or /api/**)";

    private static final Segment ANY = new Any();
    private static final Segment REST = new Rest();

    private final String text;
    private final List<Segment> segments;

    private PathPattern(String text, List<Segment> segments) {
        this.text = text;
        this.segments = segments;
    }

    /** Parses a pattern. The message of the exception describes the error. */
    public static PathPattern of(String text) {
        if (!text.startsWith("/") || text.length() > LONGEST || hasIllegal(text)) {
            throw new IllegalArgumentException("resource: " + PrintableText.text(text) + EXPECTED);
        }
        List<Segment> segments = new ArrayList<>();
        for (String part : normal(text).substring(1).split("/", -1)) {
            if (!segments.isEmpty() && segments.get(segments.size() - 1) instanceof Rest) {
                throw new IllegalArgumentException(
                        "resource: " + PrintableText.text(text) + " (expected: ** only at the end)");
            }
            segments.add(segment(part, text));
        }
        return new PathPattern(text, List.copyOf(segments));
    }

    /** Returns whether a normalised path matches. */
    public boolean matches(String path) {
        int at = 0;
        for (Segment segment : segments) {
            if (segment instanceof Rest) {
                return true;
            }
            if (at >= path.length() || path.charAt(at) != '/') {
                return false;
            }
            int slash = path.indexOf('/', at + 1);
            int end = slash < 0 ? path.length() : slash;
            if (!segment.matches(path, at + 1, end)) {
                return false;
            }
            at = end;
        }
        return at == path.length();
    }

    /** Returns the segments, at least one. Only the last can be a {@link Rest}. */
    public List<Segment> segments() {
        return segments;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathPattern pattern && pattern.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    private static Segment segment(String part, String text) {
        if (part.equals("**")) {
            return REST;
        }
        if (isName(part)) {
            return ANY;
        }
        if (part.indexOf('{') >= 0 || part.indexOf('}') >= 0 || part.indexOf('*') >= 0) {
            throw new IllegalArgumentException("resource: " + PrintableText.text(text)
                    + " (expected: {name} or ** as a whole segment, not \"" + PrintableText.text(part) + "\")");
        }
        return new Exact(part);
    }

    /** Refuses a pattern that no normalised path can match, because its rule would never apply. */
    private static String normal(String text) {
        String normal;
        try {
            normal = NORMAL.normal(text);
        } catch (PathRefusedException e) {
            throw new IllegalArgumentException(
                    "resource: " + PrintableText.text(text) + " (expected: " + e.expected() + ")", e);
        }
        if (!normal.equals(text)) {
            throw new IllegalArgumentException(
                    "resource: " + PrintableText.text(text) + " (expected: " + PrintableText.text(normal) + ")");
        }
        return text;
    }

    private static boolean isName(String part) {
        if (part.length() <= 2 || !part.startsWith("{") || !part.endsWith("}")) {
            return false;
        }
        for (int i = 1; i < part.length() - 1; i++) {
            if (!inName(part.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean inName(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    }

    private static boolean hasIllegal(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c == 0x7f || c == '?' || c == '#') {
                return true;
            }
        }
        return false;
    }

    /** The part between two slashes. */
    public sealed interface Segment {
        /** Returns whether the part of the path from start (inclusive) to end (exclusive) matches. */
        boolean matches(String path, int start, int end);
    }

    /** A segment with exactly this text. */
    public record Exact(String name) implements Segment {
        @Override
        public boolean matches(String path, int start, int end) {
            return end - start == name.length() && path.startsWith(name, start);
        }
    }

    /** A segment with any non-empty text. */
    public record Any() implements Segment {
        @Override
        public boolean matches(String path, int start, int end) {
            return end > start;
        }
    }

    /** The rest of the path, including the slash before it, or nothing. */
    public record Rest() implements Segment {
        @Override
        public boolean matches(String path, int start, int end) {
            return true;
        }
    }
}
