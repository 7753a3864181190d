package io.sluice.http.figure;

/** Takes the body of an answer piece by piece. Pieces may be split anywhere. Used by one thread at a time. */
interface BodyReader {

    /** Takes the bytes of an array from one index up to another. The array is not kept. */
    void take(byte[] bytes, int from, int to);

    /** Called after the last piece. Not called if the answer broke off. */
    void end();

    /** Returns whether this body cannot contain further figures, so that the remaining pieces need not be read. */
    boolean isOver();
}
