package io.sluice.replay.log;

/** Finds the fields of a line. One for each file; not thread-safe. */
interface LineParser {

    /** What a line is. */
    enum Line {
        REQUEST,
        /** A heading or a comment. */
        NOTHING,
        /** {@link LineFields#problem} says why. */
        UNREADABLE
    }

    /** Reads the bytes of one line without its end into fields that are clear. */
    Line read(byte[] line, int from, int to, LineFields fields);
}
