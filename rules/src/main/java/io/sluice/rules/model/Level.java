package io.sluice.rules.model;

/** The scope of a limit, in the order in which refusals are reported. */
public enum Level {
    GLOBAL("global"),
    SERVICE("service"),
    RESOURCE("resource"),
    CALLER("caller");

    private final String word;

    Level(String word) {
        this.word = word;
    }

    /** Returns the spelling in answers. */
    public String word() {
        return word;
    }
}
