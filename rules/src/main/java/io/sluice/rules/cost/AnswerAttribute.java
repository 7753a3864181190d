package io.sluice.rules.cost;

import java.util.List;
import java.util.Locale;

/**
 * An attribute of the answer to a request: {@code answer.json.<path>}, {@code answer.header.<name>} or {@code answer.status}.
 * Immutable. Prints as documents write it.
 *
 * @param source the part of the answer
 * @param name the path or the name in lower case; empty for the status
 */
public record AnswerAttribute(Source source, String name) {

    /** The maximum length of the text. */
    public static final int LONGEST = 128;

    /** The texts that {@link #parse} accepts, for error messages. */
    public static final String EXPECTED =
            "an attribute of the answer: answer.json.<path>, answer.header.<name> or answer.status";

    private static final String JSON = "answer.json.";
    private static final String HEADER = "answer.header.";
    private static final String STATUS = "answer.status";
    private static final String IN_NAMES = "!#$%&'*+-.^_`|~";

    /** The parts of an answer. */
    public enum Source {
        /** A number in the JSON of the answer, or in the last JSON event of an event stream. */
        JSON,
        /** A header of the answer. */
        HEADER,
        /** The status of the answer. */
        STATUS
    }

    public AnswerAttribute {
        name = source == Source.HEADER ? name.toLowerCase(Locale.ROOT) : name;
        boolean legal =
                switch (source) {
                    case JSON -> isPath(name);
                    case HEADER -> isHeader(name);
                    case STATUS -> name.isEmpty();
                };
        if (!legal || text(source, name).length() > LONGEST) {
            throw new IllegalArgumentException("name: not legal (expected: " + EXPECTED + ")");
        }
    }

    /**
     * Parses the text of a document.
     *
     * @throws IllegalArgumentException if it does not name an attribute of an answer
     */
    public static AnswerAttribute parse(String text) {
        if (text.startsWith(JSON)) {
            return new AnswerAttribute(Source.JSON, text.substring(JSON.length()));
        }
        if (text.startsWith(HEADER)) {
            return new AnswerAttribute(Source.HEADER, text.substring(HEADER.length()));
        }
        if (text.equals(STATUS)) {
            return new AnswerAttribute(Source.STATUS, "");
        }
        throw new IllegalArgumentException("name: not legal (expected: " + EXPECTED + ")");
    }

    /** Returns the names on the path from the root of the JSON to the figure. */
    public List<String> path() {
        return List.of(name.split("\\.", -1));
    }

    @Override
    public String toString() {
        return text(source, name);
    }

    private static String text(Source source, String name) {
        return switch (source) {
            case JSON -> JSON + name;
            case HEADER -> HEADER + name;
            case STATUS -> STATUS;
        };
    }

    private static boolean isPath(String path) {
        return !path.isEmpty()
                && !path.startsWith(".")
                && !path.endsWith(".")
                && !path.contains("..")
                && path.chars().noneMatch(c -> c <= ' ' || c == 0x7f);
    }

    private static boolean isHeader(String name) {
        return !name.isEmpty()
                && name.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || IN_NAMES.indexOf(c) >= 0);
    }
}
