package io.sluice.rules.model;

/** What counts when a request does not have an attribute that a limit counts by. */
public enum AbsentPolicy {
    /** The caller's address instead, or one shared count where there is none. */
    IP("ip"),
    /** One count that all such requests share. */
    SHARE("share"),
    /** The limit is not for such requests. */
    SKIP("skip"),
    /** Such requests are refused. */
    REFUSE("refuse");

    private final String word;

    AbsentPolicy(String word) {
        this.word = word;
    }

    /** As documents spell it. */
    public String word() {
        return word;
    }
}
