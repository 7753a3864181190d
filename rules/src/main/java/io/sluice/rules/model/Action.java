package io.sluice.rules.model;

/** What a rule does with the requests it is for. Deny comes before exempt, exempt before limits. */
public enum Action {
    /** Its limits decide. */
    LIMIT("limit"),
    /** They pass every limit. */
    EXEMPT("exempt"),
    /** They are refused at once. */
    DENY("deny");

    private final String word;

    Action(String word) {
        this.word = word;
    }

    /** As documents spell it. */
    public String word() {
        return word;
    }
}
