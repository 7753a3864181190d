package io.sluice.replay.imports.draft;

/**
 * Bounds the size of the document that is made from a configuration. A small file can combine long lists with each other, such
 * as every route with every plugin. Not thread-safe.
 */
final class DraftVolume {

    static final long MOST = 1_000_000;

    private static final long OF_RULE = 10;

    private long values;

    /** Counts a rule. */
    void rule() {
        add(OF_RULE);
    }

    /** Counts values in a rule. */
    void add(long more) {
        values += more;
        if (values > MOST) {
            throw new ExceededException();
        }
    }

    /** Thrown when a document becomes too large. */
    static final class ExceededException extends RuntimeException {

        private static final long serialVersionUID = 1;

        ExceededException() {
            super("too large", null, false, false);
        }
    }
}
