package io.sluice.rules.pattern;

import io.sluice.rules.yaml.PrintableText;

/**
 * A request's path could mean one thing to us and another to whoever serves it. The request is to be refused (400): to let it
 * pass would be to let it pass unlimited. The message says what is wrong. Carries no stack trace: callers can make these at will.
 */
public final class PathRefusedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final String expected;

    public PathRefusedException(String path, String expected) {
        super("path: " + PrintableText.text(path) + " (expected: " + expected + ")");
        this.expected = expected;
    }

    /** What would have done, without the path itself. */
    public String expected() {
        return expected;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
