package io.sluice.http.figure;

/** Skips the byte order mark that some servers put before UTF-8 text. */
final class MarkSkipper implements BodyReader {

    private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final BodyReader text;
    private int matched;
    private boolean begun;

    MarkSkipper(BodyReader text) {
        this.text = text;
    }

    @Override
    public void take(byte[] bytes, int from, int to) {
        int at = from;
        while (!begun && at < to) {
            if (bytes[at] == MARK[matched]) {
                at++;
                begun = ++matched == MARK.length;
            } else {
                text.take(MARK, 0, matched);
                begun = true;
            }
        }
        text.take(bytes, at, to);
    }

    @Override
    public void end() {
        text.end();
    }

    @Override
    public boolean isOver() {
        return text.isOver();
    }
}
