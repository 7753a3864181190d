package io.sluice.rules.internal.index;

/** Where the forks of an index keep what is not their own. Do not change once they are filled. */
record Tables(Arena arena, TextTable texts, PathTrie routes) {

    /** Empty, with room for about so many keys. */
    static Tables forKeys(int keys) {
        Arena arena = Arena.forKeys(keys);
        TextTable texts = new TextTable(arena, keys);
        return new Tables(arena, texts, new PathTrie(arena, texts));
    }
}
