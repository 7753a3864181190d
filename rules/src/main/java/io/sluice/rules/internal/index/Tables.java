package io.sluice.rules.internal.index;

/** Where the forks of an index keep what is not their own. Do not change once they are filled. */
record Tables(Arena arena, TextTable texts, PathTrie routes) {

    static Tables empty() {
        Arena arena = new Arena();
        TextTable texts = new TextTable(arena);
        return new Tables(arena, texts, new PathTrie(arena, texts));
    }
}
