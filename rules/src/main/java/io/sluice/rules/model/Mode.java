package io.sluice.rules.model;

/** The place where the limits of a rule are decided. */
public enum Mode {
    /** In the shared store, for every request. */
    DISTRIBUTED("distributed"),
    /**
     * In process, with permits leased from the store. Without a lease, or if the limit cannot be leased, this works like {@link
     * #DISTRIBUTED}.
     */
    LOCAL_DISTRIBUTED("local_distributed"),
    /** In each process on its own. */
    LOCAL("local");

    private final String word;

    Mode(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents and answers. */
    public String word() {
        return word;
    }
}
