package io.sluice.rules.model;

/**
 * What a limit does with a request whose body has fields that the limit needs and that could not be read, because the body is too
 * long, compressed or malformed.
 */
public enum UnreadPolicy {
    /** Refuses the request, because otherwise such a body would be a way around the limit. */
    REFUSE("refuse"),
    /** Treats the fields as absent. */
    ABSENT("absent");

    private final String word;

    UnreadPolicy(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents. */
    public String word() {
        return word;
    }
}
