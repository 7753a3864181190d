package io.sluice.rules.model;

/** Whether the store may see the values that a limit counts by. */
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
