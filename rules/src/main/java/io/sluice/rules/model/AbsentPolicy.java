package io.sluice.rules.model;

/** The policy of a limit for requests that lack an attribute by which the limit counts. */
public enum AbsentPolicy {
    /** Counts the request by the caller's address, or in one shared count if there is no address. */
    IP("ip"),
    /** Counts all such requests in one shared count. */
    SHARE("share"),
    /** Does not apply the limit to such requests. */
    SKIP("skip"),
    /** Refuses such requests. */
    REFUSE("refuse");

    private final String word;

    AbsentPolicy(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents. */
    public String word() {
        return word;
    }
}
