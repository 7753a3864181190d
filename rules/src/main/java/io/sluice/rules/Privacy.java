package io.sluice.rules;

/** How the values that a limit counts by are stored. */
public enum Privacy {
    /** As they are. */
    PLAIN("plain"),
    /** As a keyed hash. */
    HASH("hash");

    private final String word;

    Privacy(String word) {
        this.word = word;
    }

    /** As documents spell it. */
    public String word() {
        return word;
    }
}
