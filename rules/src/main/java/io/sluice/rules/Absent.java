package io.sluice.rules;

/** What counts when an attribute that a limit counts {@code by} is missing. */
public enum Absent {
    /** The client's address instead, or one shared count where there is none. */
    IP("ip"),
    /** One count for all requests without it. */
    SHARE("share"),
    /** The limit does not apply. */
    SKIP("skip"),
    /** The request is refused. */
    REFUSE("refuse");

    private final String word;

    Absent(String word) {
        this.word = word;
    }

    /** As documents spell it. */
    public String word() {
        return word;
    }
}
