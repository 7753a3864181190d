package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.Place;

/** A place in one of the files that an import reads. */
public record Spot(String file, Place place) {

    public Spot {
        file = file.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]+", " ");
    }

    @Override
    public String toString() {
        return file + ":" + place.line() + ":" + place.column();
    }
}
