package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.LookupBatch;
import io.sluice.rules.internal.table.LookupSubject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A node of the index: scopes that agree in all lookups so far. Some are compared one by one, the others are looked up by
 * further constraints. Immutable.
 */
final class IndexNode {

    private final int here;
    private final Fork[] forks;
    private final Map<String, Fork> byAttribute = new HashMap<>();

    IndexNode(int here, List<Fork> forks) {
        this.here = here;
        this.forks = forks.toArray(Fork[]::new);
        forks.forEach(fork -> byAttribute.put(fork.attribute(), fork));
    }

    void walk(IndexWalk walk) {
        walk.found(here);
        LookupSubject subject = walk.subject();
        LookupBatch questions = walk.questions();
        int open = questions.open();
        if (forks.length <= subject.size()) {
            for (Fork fork : forks) {
                walk.took(fork.ask(subject, questions, walk));
            }
        } else {
            for (String name : subject.names()) {
                Fork fork = byAttribute.get(name);
                if (fork != null) {
                    walk.took(fork.ask(subject, questions, walk));
                }
            }
        }
        walk.took(questions.answer(open, subject, walk));
    }
}
