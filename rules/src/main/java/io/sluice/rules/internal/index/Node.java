package io.sluice.rules.internal.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scopes that agree in what was looked up so far: some to be compared one by one, the others by what else they ask for.
 *
 * <p>While it is built it has scopes; once {@link #settle} was called it does not change any more.
 */
final class Node {

    /** Comparing so many costs no more than looking them up. */
    static final int FEW = 8;

    private static final Filed[] NONE = {};
    private static final int NOBODY = -1;

    private @Nullable List<Filed> building = new ArrayList<>(1);
    private Filed[] here = NONE;

    /**
     * The one scope here of which nothing is left to be compared. Most nodes have just that; it is kept without an object of
     * its own, because with very many rules each object on the way is a miss of the cache.
     */
    private int only = NOBODY;

    private Map<String, Fork<Node>> forks = Map.of();

    void add(Filed filed) {
        if (building == null) {
            throw new IllegalStateException("settled");
        }
        building.add(filed);
    }

    void settle() {
        List<Filed> all = building == null ? List.of() : building;
        building = null;
        if (all.size() <= FEW) {
            Filed[] few = settled(all);
            if (few.length == 1 && few[0].constraints().isEmpty()) {
                only = few[0].position();
            } else {
                here = few;
            }
            return;
        }
        Survey survey = new Survey(all);
        List<Filed> stay = new ArrayList<>();
        Map<String, Fork<Node>> chosen = new LinkedHashMap<>();
        List<Node> nodes = new ArrayList<>();
        for (Filed filed : all) {
            Constraint best = survey.best(filed, FEW);
            if (best == null) {
                stay.add(filed);
                continue;
            }
            Fork<Node> fork = chosen.computeIfAbsent(best.attribute(), Fork::new);
            Filed rest = filed.lookedUp(best);
            for (Key key : best.keys()) {
                fork.at(key, () -> fresh(nodes)).add(rest);
            }
        }
        here = settled(stay);
        forks = new HashMap<>(chosen);
        nodes.forEach(Node::settle);
    }

    void walk(Walk walk) {
        if (only != NOBODY) {
            walk.took(1);
            walk.meets(only);
            return;
        }
        for (Filed filed : here) {
            walk.took(1);
            if (!walk.wants(filed)) {
                break;
            }
        }
        if (forks.size() <= walk.subject().names().size()) {
            for (Fork<Node> fork : forks.values()) {
                walk.took(fork.visit(walk.subject(), walk));
            }
        } else {
            for (String name : walk.subject().names()) {
                Fork<Node> fork = forks.get(name);
                if (fork != null) {
                    walk.took(fork.visit(walk.subject(), walk));
                }
            }
        }
    }

    private static Node fresh(List<Node> nodes) {
        Node node = new Node();
        nodes.add(node);
        return node;
    }

    private static Filed[] settled(List<Filed> all) {
        return all.stream().map(Filed::settled).toArray(Filed[]::new);
    }
}
