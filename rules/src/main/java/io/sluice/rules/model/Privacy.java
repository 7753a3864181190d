package io.sluice.rules.model;

/** Whether the store of counts may see the values that a limit counts by. */
public enum Privacy {
    /** It may. */
    PLAIN("plain"),
    /** It sees a keyed hash of them. */
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
