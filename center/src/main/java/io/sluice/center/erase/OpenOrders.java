package io.sluice.center.erase;

import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Orders that nodes still have to answer, and answers that are not stored yet, in memory. Replies to heartbeats are built from
 * them, so that they do not wait for the database. Thread-safe.
 */
final class OpenOrders {

    /** The maximum length of all orders of one reply in characters, so that a node accepts the reply. */
    private static final int MOST_CHARACTERS = 40_000;

    /** The maximum number of answers that wait to be stored. Nodes repeat answers that are not taken. */
    private static final int MOST_ANSWERS = 10_000;

    private final Map<Long, Open> open = new TreeMap<>();
    private final Map<Answered, ErasureResult> answers = new LinkedHashMap<>();

    /** The answer of a node to an order. */
    record Answered(long id, String node) {}

    /**
     * An order.
     *
     * @param asked the nodes that have to answer before the order is done
     * @param answered the nodes whose answers are stored
     * @param waits whether the order also waits for something else
     */
    record Open(ErasureOrder order, long at, Set<String> asked, Set<String> answered, boolean waits) {

        boolean isDone() {
            return !waits && answered.containsAll(asked);
        }
    }

    synchronized void add(Open order) {
        open.put(order.order().id(), order);
    }

    synchronized Set<Long> ids() {
        return Set.copyOf(open.keySet());
    }

    /**
     * Replaces orders by the orders in the database.
     *
     * @param before the orders that were known before the database was read; orders that were added later stay
     */
    synchronized void replace(Set<Long> before, List<Open> orders) {
        open.keySet().removeAll(before);
        orders.forEach(this::add);
        answers.keySet().removeIf(answer -> !open.containsKey(answer.id()));
    }

    synchronized void remove(long id) {
        open.remove(id);
        answers.keySet().removeIf(answer -> answer.id() == id);
    }

    synchronized List<Open> all() {
        return List.copyOf(open.values());
    }

    /** Returns the orders for a node. An order is repeated until the answer of the node is stored. */
    synchronized List<ErasureOrder> of(String node) {
        List<ErasureOrder> orders = new ArrayList<>();
        int characters = 0;
        for (Open each : open.values()) {
            if (each.answered().contains(node)) {
                continue;
            }
            characters += length(each.order());
            if (orders.size() == ErasureOrder.MOST || (!orders.isEmpty() && characters > MOST_CHARACTERS)) {
                break;
            }
            orders.add(each.order());
        }
        return orders;
    }

    private static int length(ErasureOrder order) {
        int length =
                order.subject().attribute().length() + order.subject().value().length();
        for (Map.Entry<String, String> known : order.subject().known().entrySet()) {
            length += known.getKey().length() + known.getValue().length();
        }
        return length;
    }

    /** Takes the answer of a node to an order. Answers without an open order are ignored. */
    synchronized void answered(String node, ErasureResult result) {
        Open order = open.get(result.id());
        if (order != null && !order.answered().contains(node) && answers.size() < MOST_ANSWERS) {
            answers.putIfAbsent(new Answered(result.id(), node), result);
        }
    }

    /** Returns the answers that are not stored yet. */
    synchronized Map<Answered, ErasureResult> arrived() {
        return new HashMap<>(answers);
    }

    /** Removes answers that have been stored. Their nodes are not asked again. */
    synchronized void stored(Set<Answered> stored) {
        for (Answered each : stored) {
            answers.remove(each);
            Open order = open.get(each.id());
            if (order != null) {
                Set<String> answered = new HashSet<>(order.answered());
                answered.add(each.node());
                open.put(each.id(), new Open(order.order(), order.at(), order.asked(), answered, order.waits()));
            }
        }
    }
}
