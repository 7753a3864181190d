package io.sluice.rules.internal.table;

import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Rest;
import io.sluice.rules.pattern.PathPattern.Segment;
import java.util.List;

/**
 * Maps the ends of path patterns to numbers, as trees of segments. One arena holds any number of trees.
 *
 * <p>At each segment, a lookup continues in at most two branches: the branch for the segment's text and the branch for any text. So it
 * visits no part of the tree twice, and no part whose patterns disagree with the path so far.
 *
 * <p>A branch takes four words of the arena: the branch for any text, the number of the patterns that end here, the number of the patterns
 * that accept any rest from here on, and whether there are branches for texts. The branches for texts are in the table, at a place of their
 * own.
 */
final class PathTrie {

    private static final int NONE = TextTable.NONE;
    private static final int HERE = 1;
    private static final int REST = 2;
    private static final int NAMED = 3;
    private static final int SOME = 0;

    private final Arena arena;
    private final TextTable texts;

    PathTrie(Arena arena, TextTable texts) {
        this.arena = arena;
        this.texts = texts;
    }

    /** Creates a tree without patterns and returns its root. */
    int newTree() {
        int branch = arena.end();
        arena.add(NONE);
        arena.add(NONE);
        arena.add(NONE);
        arena.add(NONE);
        return branch;
    }

    void put(int root, List<Segment> pattern, int value) {
        int branch = root;
        for (Segment segment : pattern) {
            if (segment instanceof Rest) {
                arena.set(branch + REST, value);
                return;
            }
            branch = segment instanceof Exact exact ? named(branch, exact.name()) : any(branch);
        }
        arena.set(branch + HERE, value);
    }

    /** Visits the tree with the rest of a path after this many segments. Returns the number of visited parts of the tree. */
    int visit(int branch, PathSegments path, int depth, HitListener found) {
        int rest = arena.word(branch + REST);
        if (rest != NONE) {
            found.found(rest);
        }
        if (depth == path.size()) {
            int here = arena.word(branch + HERE);
            if (here != NONE && path.isWhole()) {
                found.found(here);
            }
            return 1;
        }
        int any = arena.word(branch);
        int named = arena.word(branch + NAMED) == NONE ? NONE : path.lookUp(depth, texts, place(branch));
        int visited = 1;
        if (named != NONE) {
            visited += visit(named, path, depth + 1, found);
        }
        if (any != NONE && !path.isEmpty(depth)) {
            visited += visit(any, path, depth + 1, found);
        }
        return visited;
    }

    private int named(int branch, String name) {
        int known = texts.get(place(branch), name);
        if (known != NONE) {
            return known;
        }
        int fresh = newTree();
        texts.put(place(branch), name, fresh);
        arena.set(branch + NAMED, SOME);
        return fresh;
    }

    private int any(int branch) {
        int known = arena.word(branch);
        if (known != NONE) {
            return known;
        }
        int fresh = newTree();
        arena.set(branch, fresh);
        return fresh;
    }

    /** Returns the place of a branch, which is negative so that it differs from all other places. */
    private static int place(int branch) {
        return ~branch;
    }
}
