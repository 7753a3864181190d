package io.sluice.http.figure;

/** A body that is one JSON document. If any part of it is broken, it has no figures. */
final class JsonDocument implements BodyReader {

    private final JsonFigures json;
    private final FoundFigures found;

    JsonDocument(FigurePaths paths, FoundFigures found) {
        this.json = new JsonFigures(paths, found);
        this.found = found;
    }

    @Override
    public void take(byte[] bytes, int from, int to) {
        json.take(bytes, from, to);
        if (json.isBroken()) {
            found.clear();
        }
    }

    @Override
    public void end() {
        if (json.hasEnded()) {
            found.accept();
        } else {
            found.clear();
        }
    }

    @Override
    public boolean isOver() {
        return json.isBroken();
    }
}
