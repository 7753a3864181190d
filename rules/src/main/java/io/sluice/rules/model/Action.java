package io.sluice.rules.model;

/** The action of a rule on the requests that it matches. Deny takes precedence over exempt, and exempt over limits. */
public enum Action {
    /** Applies the rule's limits. */
    LIMIT("limit"),
    /** Lets the requests pass every limit. */
    EXEMPT("exempt"),
    /** Refuses the requests immediately. */
    DENY("deny");

    private final String word;

    Action(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents. */
    public String word() {
        return word;
    }
}
