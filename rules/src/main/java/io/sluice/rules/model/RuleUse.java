package io.sluice.rules.model;

/** The use of a rule, which determines when it applies. */
public enum RuleUse {
    /** Applies to every request that it matches. */
    REQUESTS("requests"),
    /** Applies only where code, a route or a client names it, regardless of its scope. */
    CODE("code"),
    /** Applies to the requests that it matches, before their callers are authenticated. */
    EARLY("early");

    private final String word;

    RuleUse(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents. */
    public String word() {
        return word;
    }
}
