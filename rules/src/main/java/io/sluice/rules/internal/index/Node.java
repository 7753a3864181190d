package io.sluice.rules.internal.index;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Scopes that agree in what was looked up so far: some to be compared one by one, the others by what else they ask for. Immutable. */
final class Node {

    private final int here;
    private final Fork[] forks;
    private final Map<String, Fork> byAttribute = new HashMap<>();

    Node(int here, List<Fork> forks) {
        this.here = here;
        this.forks = forks.toArray(Fork[]::new);
        forks.forEach(fork -> byAttribute.put(fork.attribute(), fork));
    }

    void walk(Walk walk) {
        walk.found(here);
        if (forks.length <= walk.subject().size()) {
            for (Fork fork : forks) {
                walk.took(fork.visit(walk.subject(), walk));
            }
        } else {
            for (String name : walk.subject().names()) {
                Fork fork = byAttribute.get(name);
                if (fork != null) {
                    walk.took(fork.visit(walk.subject(), walk));
                }
            }
        }
    }
}
