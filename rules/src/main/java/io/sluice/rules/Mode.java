package io.sluice.rules;

/** Where a rule wants its limits to be decided. */
public enum Mode {
    /** In the store that all nodes share, every time. */
    DISTRIBUTED("distributed"),
    /** In process, on permits leased from the store. Leases are not built yet: decided as {@link #DISTRIBUTED}, which is stricter. */
    LOCAL_DISTRIBUTED("local_distributed"),
    /** In each process by itself. */
    LOCAL("local");

    private final String word;

    Mode(String word) {
        this.word = word;
    }

    /** As documents and answers spell it. */
    public String word() {
        return word;
    }
}
