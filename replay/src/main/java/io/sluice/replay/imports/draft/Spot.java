package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Place;

/** A place in one of the files that an import reads. */
public record Spot(String file, Place place) {

    public Spot {
        file = file.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]+", " ");
    }

    /** Returns an error at this place. */
    DocumentError error(String message) {
        return new DocumentError(file, place.line(), place.column(), message);
    }

    @Override
    public String toString() {
        return file + ":" + place.line() + ":" + place.column();
    }
}
