package io.sluice.rules.model;

/** The visibility of the values that a limit counts by to the store. */
public enum Privacy {
    /** The store sees the values. */
    PLAIN("plain"),
    /** The store sees only a keyed hash of the values. */
    HASH("hash");

    private final String word;

    Privacy(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents. */
    public String word() {
        return word;
    }
}
