package io.sluice.rules.internal.table;

/** Storage that all forks of an index share. Does not change once it is filled. */
public record SharedTables(Arena arena, TextTable texts, PathTrie routes) {

    /** Creates empty tables with room for approximately this many keys. */
    public static SharedTables forKeys(int keys) {
        Arena arena = Arena.forKeys(keys);
        TextTable texts = new TextTable(arena, keys);
        return new SharedTables(arena, texts, new PathTrie(arena, texts));
    }
}
