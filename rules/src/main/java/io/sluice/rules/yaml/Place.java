package io.sluice.rules.yaml;

/** A position in a document. Line and column count from 1. */
public record Place(int line, int column) {

    /** The beginning of a document. */
    public static final Place START = new Place(1, 1);
}
