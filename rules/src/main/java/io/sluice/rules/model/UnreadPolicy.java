package io.sluice.rules.model;

/**
 * The policy of a limit for requests whose body fields could not be read although the limit needs them, because the body is too long,
 * compressed or malformed.
 */
public enum UnreadPolicy {
    /** Refuses the request, because callers could otherwise avoid the limit with such a body. */
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
