package io.sluice.rules.model;

/** Where a rule wants its limits to be decided. */
public enum Mode {
    /** In the store that all nodes share, every time. */
    DISTRIBUTED("distributed"),
    /**
     * In process, on permits leased from the store; where there is no lease, or the limit cannot be leased, as {@link #DISTRIBUTED}.
     */
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
