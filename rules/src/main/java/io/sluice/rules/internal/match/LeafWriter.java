package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.Arena;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes {@link Leaves}. Common parts of several leaves are written only once. */
final class LeafWriter {

    /** The number of words of most keys. A key is written right after its leaf. */
    private static final int KEY = 8;

    private final Arena arena;
    private final Leaves leaves;
    private final Map<String, Integer> attributes = new HashMap<>();
    private final Map<String, Integer> texts = new HashMap<>();
    private final Map<Asked, Integer> constraints = new HashMap<>();
    private final IdentityHashMap<IndexedScope, Integer> copied = new IdentityHashMap<>();

    LeafWriter(Arena arena, Leaves leaves) {
        this.arena = arena;
        this.leaves = leaves;
    }

    /**
     * The constraints of a leaf. It has its own {@code equals} and {@code hashCode}, for the same reason as {@link LookupKey}.
     */
    private record Asked(String attribute, List<LookupKey> keys) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Asked same && attribute.equals(same.attribute) && keys.equals(same.keys);
        }

        @Override
        public int hashCode() {
            return 31 * attribute.hashCode() + keys.hashCode();
        }
    }

    /** Returns the address that leads to all of these scopes, which are in the order of their positions. */
    int target(List<IndexedScope> scopes) {
        if (scopes.size() == 1) {
            return target(scopes.get(0));
        }
        int[] targets = new int[scopes.size()];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = target(scopes.get(i));
        }
        arena.together(1 + targets.length + KEY);
        int leaf = arena.end();
        arena.add(targets.length);
        for (int target : targets) {
            arena.add(target);
        }
        return LeafAddress.of(LeafAddress.FEW, leaf);
    }

    /**
     * Returns the address of a scope. A scope that lists many values is indexed under each of them, and all of them lead to one
     * leaf.
     */
    private int target(IndexedScope scope) {
        return scope.copies() == 1 ? written(scope) : copied.computeIfAbsent(scope, this::written);
    }

    private int written(IndexedScope scope) {
        List<Constraint> compared = scope.constraints();
        if (compared.isEmpty()) {
            return LeafAddress.of(LeafAddress.SCOPE, scope.position());
        }
        int[] words = new int[compared.size() * 2];
        for (int i = 0; i < compared.size(); i++) {
            Constraint constraint = compared.get(i);
            String text = constraint.text();
            words[2 * i] = attribute(constraint.attribute());
            words[2 * i + 1] = text != null ? text(text) : number(constraint);
        }
        arena.together(2 + words.length + KEY);
        int leaf = arena.end();
        arena.add(scope.position());
        arena.add(compared.size());
        for (int word : words) {
            arena.add(word);
        }
        return LeafAddress.of(LeafAddress.ONE, leaf);
    }

    private int attribute(String name) {
        Integer known = attributes.get(name);
        if (known == null) {
            known = leaves.add(name);
            attributes.put(name, known);
        }
        return known;
    }

    private int text(String text) {
        Integer known = texts.get(text);
        if (known == null) {
            known = arena.addText(text);
            texts.put(text, known);
        }
        return known;
    }

    private int number(Constraint constraint) {
        Asked asked = new Asked(constraint.attribute(), constraint.keys());
        Integer known = constraints.get(asked);
        if (known == null) {
            known = leaves.add(constraint);
            constraints.put(asked, known);
        }
        return known;
    }
}
