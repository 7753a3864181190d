package io.sluice.http.figure;

/** A body with a JSON document in each line. A broken line has no figures and does not affect the other lines. */
final class JsonLines implements BodyReader {

    private final JsonFigures json;

    JsonLines(FigurePaths paths, FoundFigures found) {
        this.json = new JsonFigures(paths, found);
    }

    @Override
    public void take(byte[] bytes, int from, int to) {
        int begin = from;
        for (int at = from; at < to; at++) {
            if (bytes[at] == '\n') {
                json.take(bytes, begin, at);
                end();
                begin = at + 1;
            }
        }
        json.take(bytes, begin, to);
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
