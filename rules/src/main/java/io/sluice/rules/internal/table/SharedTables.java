package io.sluice.rules.internal.table;

/** Where the forks of an index keep what is not their own. Do not change once they are filled. */
public record SharedTables(Arena arena, TextTable texts, PathTrie routes) {

    /** Empty, with room for about so many keys. */
    public static SharedTables forKeys(int keys) {
        Arena arena = Arena.forKeys(keys);
        TextTable texts = new TextTable(arena, keys);
        return new SharedTables(arena, texts, new PathTrie(arena, texts));
    }
}
