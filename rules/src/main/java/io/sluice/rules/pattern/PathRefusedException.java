package io.sluice.rules.pattern;

import io.sluice.rules.yaml.PrintableText;

/**
 * Thrown for a request path that could mean one thing to the limiter and another to the server. The request must be refused (400), because
 * otherwise it could pass without a limit. The message describes the error. Has no stack trace, because clients can trigger it at will.
 */
public final class PathRefusedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final String expected;

    public PathRefusedException(String path, String expected) {
        super("path: " + PrintableText.text(path) + " (expected: " + expected + ")");
        this.expected = expected;
    }

    /** Returns the expected form, without the path itself. */
    public String expected() {
        return expected;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
