package io.sluice.rules.internal.index;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Scopes that agree in what was looked up so far: some to be compared one by one, the others by what else they ask for. Immutable. */
final class Node {

    /** What was announced arrives while the longest way is gone. */
    private static final Comparator<Fork> DEEPEST_FIRST = Comparator.comparing(fork -> !fork.isDeep());

    private final int here;
    private final Fork[] forks;
    private final Map<String, Fork> byAttribute = new HashMap<>();

    Node(int here, List<Fork> forks) {
        this.here = here;
        this.forks = forks.stream().sorted(DEEPEST_FIRST).toArray(Fork[]::new);
        forks.forEach(fork -> byAttribute.put(fork.attribute(), fork));
    }

    void walk(Walk walk) {
        walk.found(here);
        Subject subject = walk.subject();
        if (forks.length == 1) {
            walk.took(forks[0].visit(subject, walk));
        } else if (forks.length <= subject.size()) {
            walkAll(subject, walk);
        } else {
            for (String name : subject.names()) {
                Fork fork = byAttribute.get(name);
                if (fork != null) {
                    walk.took(fork.visit(subject, walk));
                }
            }
        }
    }

    private void walkAll(Subject subject, Walk walk) {
        @Nullable String[] values = new String[forks.length];
        long[] hashes = new long[forks.length];
        int read = 0;
        for (int i = 0; i < forks.length; i++) {
            String value = subject.get(forks[i].attribute());
            if (value != null) {
                values[i] = value;
                hashes[i] = forks[i].hash(value);
                read += forks[i].announce(value, hashes[i], subject);
            }
        }
        walk.announced(read);
        for (int i = 0; i < forks.length; i++) {
            String value = values[i];
            if (value != null) {
                walk.took(forks[i].visit(value, hashes[i], subject, walk));
            }
        }
    }
}
