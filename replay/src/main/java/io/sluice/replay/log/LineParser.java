package io.sluice.replay.log;

/** Finds the fields of a line. Each file has its own parser. Not thread-safe. */
interface LineParser {

    /** The kind of a line. */
    enum Line {
        REQUEST,
        /** A heading or a comment. */
        NOTHING,
        /** A line that could not be read; {@link LineFields#problem} returns the reason. */
        UNREADABLE
    }

    /** Reads the bytes of one line, without its line end, into cleared fields. */
    Line read(byte[] line, int from, int to, LineFields fields);
}
