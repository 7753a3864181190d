package io.sluice.http.figure;

/**
 * A stream of server-sent events, as the HTML standard defines them. The data of an event is a JSON document; all its {@code data} lines
 * together form one document. Other data, such as {@code [DONE]}, has no figures.
 *
 * <p>An event also ends with the stream. The standard would drop such an event, but the last event often has the figure.
 */
final class EventStream implements BodyReader {

    private static final String DATA = "data";
    private static final byte[] NEW_LINE = {'\n'};

    private enum State {
        FIELD,
        AFTER_COLON,
        DATA,
        IGNORED
    }

    private final JsonFigures json;
    private State state = State.FIELD;
    private int matched;
    private boolean lineEmpty = true;
    private boolean afterCarriageReturn;

    EventStream(FigurePaths paths, FoundFigures found) {
        this.json = new JsonFigures(paths, found);
    }

    @Override
    public void take(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            byte b = bytes[at];
            if (b == '\n' || b == '\r') {
                if (b == '\r' || !afterCarriageReturn) {
                    lineEnded();
                }
                afterCarriageReturn = b == '\r';
                at++;
            } else {
                afterCarriageReturn = false;
                lineEmpty = false;
                at = inLine(bytes, at, to);
            }
        }
    }

    /** Takes bytes of a line. Returns the index after them. */
    private int inLine(byte[] bytes, int at, int to) {
        byte b = bytes[at];
        switch (state) {
            case FIELD -> {
                if (matched == DATA.length() && b == ':') {
                    state = State.AFTER_COLON;
                } else if (matched < DATA.length() && b == DATA.charAt(matched)) {
                    matched++;
                } else {
                    state = State.IGNORED;
                }
                return at + 1;
            }
            case AFTER_COLON -> {
                state = State.DATA;
                return b == ' ' ? at + 1 : at;
            }
            default -> {
                int end = lineEnd(bytes, at, to);
                if (state == State.DATA) {
                    json.take(bytes, at, end);
                }
                return end;
            }
        }
    }

    private static int lineEnd(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != '\n' && bytes[at] != '\r') {
            at++;
        }
        return at;
    }

    private void lineEnded() {
        if (lineEmpty) {
            json.finish();
            json.restart();
        } else if (state == State.DATA || state == State.AFTER_COLON) {
            json.take(NEW_LINE, 0, 1);
        }
        state = State.FIELD;
        matched = 0;
        lineEmpty = true;
    }

    @Override
    public void end() {
        json.finish();
        json.restart();
    }

    @Override
    public boolean isOver() {
        return false;
    }
}
