package io.sluice.rules.model;

/** What a rule is for: when it is looked at. */
public enum RuleUse {
    /** Applies to every request that it matches. */
    REQUESTS("requests"),
    /** Applies only where code, a route or a client names it, whatever its scope. */
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
