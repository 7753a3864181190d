package io.sluice.rules.yaml;

/** Where something stands in a document; both numbers count from 1. */
public record Place(int line, int column) {

    /** The beginning of a document. */
    public static final Place START = new Place(1, 1);
}
